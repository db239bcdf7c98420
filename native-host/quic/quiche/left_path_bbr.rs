//! What left_path.rs has for quiche's CUBIC and Reno, for its BBR: a child of src/recovery/gcongestion/recovery.rs,
//! which keeps other structures.

use super::*;

impl GRecovery {
    pub(crate) fn leave(
        &mut self, handshake_status: HandshakeStatus, now: Instant,
    ) -> (usize, usize) {
        let mut lost = (0, 0);
        for &epoch in packet::Epoch::epochs(
            packet::Epoch::Initial..=packet::Epoch::Application,
        ) {
            let sent = &mut self.epochs[epoch];
            let Some(last) = sent.sent_packets.back().map(|p| p.pkt_num) else {
                continue;
            };
            // As if it had been acknowledged long after all of them.
            let acked = sent.largest_acked_packet.replace(last);
            let LossDetectionResult {
                lost_bytes,
                lost_packets,
                pmtud_lost_bytes,
                ..
            } = sent.detect_and_remove_lost_packets(
                Duration::ZERO,
                None,
                now,
                &mut self.lost_reuse,
            );
            sent.largest_acked_packet = acked;
            self.bytes_in_flight
                .saturating_subtract(lost_bytes + pmtud_lost_bytes, now);
            lost.0 += lost_packets;
            lost.1 += lost_bytes;
        }
        self.pto_count = 0;
        self.set_loss_detection_timer(handshake_status, now);
        lost
    }
}
