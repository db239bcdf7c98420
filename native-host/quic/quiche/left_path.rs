//! Gives up what was sent on paths that a connection has left: all that is not acknowledged by then is lost, and
//! sent again on the path in use. quiche itself finds a packet lost only when a later one of the same path is
//! acknowledged, so the last ones before a move would wait for probe after probe. A child of
//! src/recovery/congestion/recovery.rs (0.30.0.lines), since what was sent is known only there. Decides nothing:
//! C says when (native-host/quic_io/quiche_paths.c).

use super::*;

use crate::recovery::Recovery;
use crate::Connection;

impl LegacyRecovery {
    fn leave(
        &mut self, handshake_status: HandshakeStatus, now: Instant,
        trace_id: &str,
    ) -> (usize, usize) {
        let mut lost = (0, 0);
        for &epoch in Epoch::epochs(Epoch::Initial..=Epoch::Application) {
            let Some(last) = self.epochs[epoch].sent_packets.back() else {
                continue;
            };
            // As if one so much later had been acknowledged that none before it can be under way any more.
            let later = last.pkt_num + self.pkt_thresh;
            let acked =
                self.epochs[epoch].largest_acked_packet.replace(later);
            let (packets, bytes) =
                self.detect_lost_packets(epoch, now, trace_id);
            self.epochs[epoch].largest_acked_packet = acked;
            lost.0 += packets;
            lost.1 += bytes;
        }
        self.pto_count = 0;
        self.set_loss_detection_timer(handshake_status, now);
        lost
    }
}

/// # Safety
/// Not while another call of this connection is under way.
#[no_mangle]
pub unsafe extern "C" fn trilane_conn_leave_paths(conn: &mut Connection) {
    let now = Instant::now();
    let handshake_status = conn.handshake_status();
    for (_, path) in conn.paths.iter_mut() {
        if path.active() || path.under_validation() {
            continue;
        }
        let (packets, bytes) = match &mut path.recovery {
            Recovery::Legacy(recovery) =>
                recovery.leave(handshake_status, now, &conn.trace_id),
            Recovery::GCongestion(recovery) =>
                recovery.leave(handshake_status, now),
        };
        conn.lost_count += packets;
        conn.lost_bytes += bytes as u64;
    }
}
