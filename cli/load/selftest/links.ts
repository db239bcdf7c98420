// The table of links that `trilane selftest` measures where none is named: rates from slow to fast, delays, and what else a
// link may do, one thing at a time.
export const selftestLinks: readonly string[] = [
  "200kbit/100ms",
  "1mbit/0ms",
  "3mbit/50ms",
  "10mbit/50ms",
  "down=20mbit,up=2mbit,delay_down=10ms,delay_up=30ms,queue=64kB",
  "100mbit/20ms",
  "1gbit/10ms",
  "unlimited/50ms",
  "10mbit/50ms,loss=2%",
  "10mbit/50ms,loss=ge:1%:25%",
  "10mbit/50ms,jitter=5ms",
  "10mbit/50ms,jitter=normal:2ms",
  "10mbit/50ms,jitter=pareto:2ms",
  "10mbit/50ms,duplicate=2%",
  "10mbit/50ms,reorder=2%:3",
  "10mbit/50ms,queue=50ms",
  "10mbit/50ms,aqm=codel",
];
