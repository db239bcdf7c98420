//! Lets congestion controllers written in C take quiche's place for a path: forwards open, sent, acked, lost,
//! window and close to a table of functions (native-host/congestion/congestion.h, whose structures stand here
//! again). Becomes src/recovery/congestion/controller.rs of quiche; 0.30.0.lines calls it. Decides nothing: what
//! is in flight, lost and timed out stays quiche's.
//!
//! Nothing is rolled back after a loss that proves spurious, and quiche's HyStart++ and PRR are off: slow start
//! and recovery are the controller's.

use std::collections::VecDeque;
use std::ffi::c_char;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::time::Duration;
use std::time::Instant;

use super::hystart;
use super::recovery::Acked;
use super::Congestion;
use super::CongestionControlOps;
use crate::packet::Epoch;
use crate::recovery::rtt::RttStats;
use crate::recovery::Recovery;
use crate::recovery::RecoveryConfig;
use crate::recovery::Sent;
use crate::Config;
use crate::Connection;

#[repr(C)]
pub struct Start {
    datagram_bytes: u64,
    initial_window_packets: u64,
}

#[repr(C)]
pub struct Packet {
    number: u64,
    sent_ns: u64,
    bytes: u64,
    ack_eliciting: bool,
    after_acked: bool,
}

#[repr(C)]
pub struct Rtt {
    latest_ns: u64,
    smoothed_ns: u64,
    variation_ns: u64,
    min_ns: u64,
    max_ack_delay_ns: u64,
}

#[repr(C)]
pub struct SentEvent {
    now_ns: u64,
    bytes: u64,
    in_flight_bytes: u64,
}

#[repr(C)]
pub struct AckedEvent {
    now_ns: u64,
    in_flight_bytes: u64,
    ack_delay_ns: u64,
    app_limited: bool,
    rtt: Rtt,
    packets: *const Packet,
    packet_count: u64,
}

#[repr(C)]
pub struct LostEvent {
    now_ns: u64,
    in_flight_bytes: u64,
    space: u64,
    rtt: Rtt,
    packets: *const Packet,
    packet_count: u64,
}

#[repr(C)]
#[derive(Default)]
pub struct Window {
    window_bytes: u64,
    ssthresh_bytes: u64,
    pacing_bps: u64,
    phase: u32,
}

#[repr(C)]
pub struct Table {
    name: *const c_char,
    flows: u32,
    open: unsafe extern "C" fn(*const Table, *const Start) -> *mut c_void,
    sent: unsafe extern "C" fn(*mut c_void, *const SentEvent),
    acked: unsafe extern "C" fn(*mut c_void, *const AckedEvent),
    lost: unsafe extern "C" fn(*mut c_void, *const LostEvent),
    window: unsafe extern "C" fn(*const c_void, *mut Window),
    close: unsafe extern "C" fn(*mut c_void),
}

/// What a config has chosen; null: one of quiche's.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Choice(*const Table);

// Tables are constants of the C program.
unsafe impl Send for Choice {}
unsafe impl Sync for Choice {}

impl Default for Choice {
    fn default() -> Self {
        Choice(ptr::null())
    }
}

/// The state that a table's `open` made for one path.
pub(crate) struct Controller {
    table: *const Table,
    state: *mut c_void,
    /// Of each packet number space, the first number of which no loss was told.
    untold: [u64; 3],
    ack_delay_us: u64,
    packets: Vec<Packet>,
}

// Only its path calls the functions with the state, one at a time.
unsafe impl Send for Controller {}
unsafe impl Sync for Controller {}

impl Drop for Controller {
    fn drop(&mut self) {
        if !self.state.is_null() {
            unsafe { ((*self.table).close)(self.state) }
        }
    }
}

/// As CLOCK_MONOTONIC counts, which is what an `Instant` is on Linux.
fn nanoseconds(time: Instant) -> u64 {
    static ORIGIN: OnceLock<(Instant, u64)> = OnceLock::new();
    let (origin, origin_ns) = ORIGIN.get_or_init(|| {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
        let now_ns = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
        (Instant::now(), now_ns)
    });
    match time.checked_duration_since(*origin) {
        Some(later) => origin_ns + span(later),
        None => origin_ns.saturating_sub(span(origin.duration_since(time))),
    }
}

fn span(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

fn estimates(rtt: &RttStats) -> Rtt {
    Rtt {
        latest_ns: span(rtt.latest_rtt),
        smoothed_ns: span(rtt.smoothed_rtt),
        variation_ns: span(rtt.rttvar),
        min_ns: span(*rtt.min_rtt),
        max_ack_delay_ns: span(rtt.max_ack_delay),
    }
}

impl Controller {
    pub(crate) fn open(config: &RecoveryConfig) -> Self {
        let table = config.controller.0;
        let start = Start {
            datagram_bytes: config.max_send_udp_payload_size as u64,
            initial_window_packets: config.initial_congestion_window_packets
                as u64,
        };
        let state = if table.is_null() {
            ptr::null_mut()
        } else {
            unsafe { ((*table).open)(table, &start) }
        };
        Controller {
            table,
            state,
            untold: [0; 3],
            ack_delay_us: 0,
            packets: Vec::new(),
        }
    }

    pub(crate) fn ack_delay(&mut self, ack_delay_us: u64) {
        self.ack_delay_us = ack_delay_us;
    }

    /// Tells of all packets of `sent` up to `largest` that were lost since the last call.
    pub(crate) fn lost(
        &mut self, largest: Option<&Sent>, sent: &VecDeque<Sent>, epoch: Epoch,
        rtt: &RttStats, in_flight_bytes: usize, now: Instant,
    ) {
        let Some(largest) = largest else { return };
        if self.state.is_null() {
            return;
        }
        let untold = self.untold[epoch as usize];
        self.untold[epoch as usize] = largest.pkt_num + 1;
        self.packets.clear();
        let mut after_acked = false;
        for packet in sent.range(sent.partition_point(|p| p.pkt_num < untold)..) {
            if packet.pkt_num > largest.pkt_num {
                break;
            }
            if packet.time_acked.is_some() {
                after_acked = true;
            } else if packet.time_lost.is_some() &&
                packet.in_flight &&
                !packet.is_pmtud_probe
            {
                self.packets.push(Packet {
                    number: packet.pkt_num,
                    sent_ns: nanoseconds(packet.time_sent),
                    bytes: packet.size as u64,
                    ack_eliciting: packet.ack_eliciting,
                    after_acked,
                });
                after_acked = false;
            }
        }
        let event = LostEvent {
            now_ns: nanoseconds(now),
            in_flight_bytes: in_flight_bytes as u64,
            space: epoch as u64,
            rtt: estimates(rtt),
            packets: self.packets.as_ptr(),
            packet_count: self.packets.len() as u64,
        };
        unsafe { ((*self.table).lost)(self.state, &event) }
    }

    fn acked(
        &mut self, packets: &[Acked], app_limited: bool, rtt: &RttStats,
        in_flight_bytes: usize, now: Instant,
    ) {
        self.packets.clear();
        self.packets.extend(packets.iter().map(|packet| Packet {
            number: packet.pkt_num,
            sent_ns: nanoseconds(packet.time_sent),
            bytes: packet.size as u64,
            ack_eliciting: false,
            after_acked: false,
        }));
        let event = AckedEvent {
            now_ns: nanoseconds(now),
            in_flight_bytes: in_flight_bytes as u64,
            ack_delay_ns: self.ack_delay_us.saturating_mul(1000),
            app_limited,
            rtt: estimates(rtt),
            packets: self.packets.as_ptr(),
            packet_count: self.packets.len() as u64,
        };
        unsafe { ((*self.table).acked)(self.state, &event) }
    }

    fn window(&self) -> Window {
        let mut window = Window::default();
        unsafe { ((*self.table).window)(self.state, &mut window) };
        window
    }
}

/// Puts the controller, if there is one, in the place of quiche's.
pub(crate) fn start(r: &mut Congestion) {
    if !r.controller.state.is_null() {
        r.cc_ops = &IN_C;
        r.hystart = hystart::Hystart::new(false);
    }
}

fn take_window(r: &mut Congestion, by_loss: bool) {
    let window = r.controller.window();
    let ssthresh =
        usize::try_from(window.ssthresh_bytes).unwrap_or(usize::MAX);
    r.congestion_window = window.window_bytes as usize;
    if ssthresh != r.ssthresh.get() {
        r.ssthresh.update(ssthresh, !by_loss);
    }
}

static IN_C: CongestionControlOps = CongestionControlOps {
    on_init,
    on_packet_sent,
    on_packets_acked,
    congestion_event,
    checkpoint,
    rollback,
    #[cfg(feature = "qlog")]
    state_str,
    debug_fmt,
};

fn on_init(r: &mut Congestion) {
    take_window(r, false);
}

fn on_packet_sent(
    r: &mut Congestion, sent_bytes: usize, bytes_in_flight: usize, now: Instant,
) {
    let event = SentEvent {
        now_ns: nanoseconds(now),
        bytes: sent_bytes as u64,
        in_flight_bytes: bytes_in_flight as u64,
    };
    unsafe { ((*r.controller.table).sent)(r.controller.state, &event) }
    take_window(r, false);
}

fn on_packets_acked(
    r: &mut Congestion, bytes_in_flight: usize, packets: &mut Vec<Acked>,
    now: Instant, rtt_stats: &RttStats,
) {
    let app_limited = r.app_limited;
    r.controller
        .acked(packets, app_limited, rtt_stats, bytes_in_flight, now);
    packets.clear();
    take_window(r, false);
}

// `Controller::lost` was called just before.
fn congestion_event(
    r: &mut Congestion, _bytes_in_flight: usize, _lost_bytes: usize,
    _largest_lost_packet: &Sent, _now: Instant,
) {
    take_window(r, true);
}

fn checkpoint(_r: &mut Congestion) {}

fn rollback(_r: &mut Congestion) -> bool {
    false
}

// As quiche calls its own phases in qlogs.
fn state_str(r: &Congestion, _now: Instant) -> &'static str {
    match r.controller.window().phase {
        0 => "slow_start",
        1 => "conservative_slow_start",
        2 => "congestion_avoidance",
        _ => "recovery",
    }
}

fn debug_fmt(
    r: &Congestion, formatter: &mut std::fmt::Formatter,
) -> std::fmt::Result {
    write!(formatter, "controller={} ", state_str(r, Instant::now()))
}

/// Connections made with `config` from now on get the controller; null: one of quiche's. The table must outlive
/// them.
#[no_mangle]
pub extern "C" fn trilane_config_set_controller(
    config: &mut Config, table: *const Table,
) {
    config.controller = Choice(table);
}

/// The table by which the connection's active path is controlled, and the path's state; null if quiche itself
/// controls it.
///
/// # Safety
/// `state` must be valid for a write. What is written there lives no longer than the path.
#[no_mangle]
pub unsafe extern "C" fn trilane_conn_controller(
    conn: &Connection, state: *mut *const c_void,
) -> *const Table {
    let Ok(path) = conn.paths.get_active() else {
        return ptr::null();
    };
    match &path.recovery {
        Recovery::Legacy(recovery)
            if !recovery.congestion.controller.state.is_null() =>
        {
            *state = recovery.congestion.controller.state;
            recovery.congestion.controller.table
        },
        _ => ptr::null(),
    }
}
