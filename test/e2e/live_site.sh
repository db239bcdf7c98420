#!/usr/bin/env bash
# live_site.sh FOLDER COMMAND...: runs COMMAND in a namespace of its own where servers answer like those of the world: nginx
# (FOLDER/nginx.conf), Caddy for HTTP/3 (FOLDER/Caddyfile), our own (FOLDER/sites.json, run by $NODE), dnsmasq for their names
# (FOLDER/hosts). All files of servers are optional. All ends with COMMAND. live_site.ts makes the folder.
set -euo pipefail
folder=$1
shift
if [ "${TRILANE_LIVE_SITE:-}" != inside ]; then
  # Ambient capabilities and TRILANE_LAB: for trilane-shaper this is a lab, whose far side it may be.
  export TRILANE_LIVE_SITE=inside
  exec unshare -U --map-user=1000 --map-group=1000 -m -n --keep-caps -- bash "$0" "$folder" "$@"
fi
unset TRILANE_LIVE_SITE
TRILANE_LAB=$(readlink /proc/self/ns/net)
export TRILANE_LAB

ip link set lo up
# Answered, but no interface's: to trilane-guard they are the internet's, not this machine's own. Servers listen at such IPv6
# addresses only where that is allowed.
echo 1 >/proc/sys/net/ipv6/ip_nonlocal_bind
while read -r address; do
  ip route add local "$address" dev lo
done <"$folder/addresses"
# A browser without a way out says that it is offline.
ip link add world0 type veth peer name world1
# No addresses of their own making: one that came up a second later would be a change of the network to the browser,
# which then drops its requests.
ip link set world0 addrgenmode none
ip link set world1 addrgenmode none
ip address add 198.51.100.1/24 dev world0
ip link set world0 up
ip link set world1 up
ip route add default via 198.51.100.2
ip address add 2001:db8:ffff::1/64 dev world0 nodad
ip -6 route add default via 2001:db8:ffff::2
# As trilane-replay has it: what one load learnt of a path is nothing to the next.
echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
mount --bind "$folder/resolv.conf" /etc/resolv.conf

# The congestion control that trilane-replay has, whatever this machine's default is: a namespace may not choose one that the
# machine restricts, but its routes may, also the one to the browser that trilane-shaper makes.
use_cubic() {
  local family address route
  for _ in $(seq 500); do
    sleep 0.02
    for family in -4 -6; do
      address=$([ $family = -4 ] && echo 100.64.0.2 || echo fd00:7472::2)
      route=$(ip $family route show "$address")
      route=${route%linkdown*} # no word of a route to replace
      case $route in
      "") continue 2 ;;
      *congctl*) ;;
      # shellcheck disable=SC2086 # the words of a route
      *) ip $family route replace $route congctl cubic ;;
      esac
    done
    return
  done
}

servers=()
stop() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  wait
}
trap stop EXIT
start() {
  "$@" </dev/null >>"$folder/servers.log" 2>&1 3>&- 4>&- &
  servers+=($!)
}
start dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --local=/test/ --addn-hosts="$folder/hosts" \
  --bind-interfaces --listen-address=203.0.113.53 --user= --group= --pid-file="$folder/dnsmasq.pid"
[ ! -e "$folder/nginx.conf" ] || start nginx -p "$folder" -c "$folder/nginx.conf"
[ ! -e "$folder/Caddyfile" ] || HOME=$folder start caddy run --config "$folder/Caddyfile" --adapter caddyfile
[ ! -e "$folder/sites.json" ] || start "$NODE" "$(dirname "$0")/live_server.ts" "$folder"
# Each server on a port of its own: which addresses they have is in their configurations.
listening() {
  [ -n "$(ss -lunH 'sport = :53')" ] || return
  [ ! -e "$folder/nginx.conf" ] || ss -ltnpH 'sport = :443' | grep -q '"nginx"' || return
  [ ! -e "$folder/sites.json" ] || ss -ltnpH 'sport = :443' | grep -qE '"(node|MainThread)"' || return
  [ ! -e "$folder/Caddyfile" ] || ss -lunpH 'sport = :443' | grep -q '"caddy"'
}
for _ in $(seq 1500); do
  ! listening || break
  sleep 0.02
done
if ! listening; then
  tail -n 3 "$folder/servers.log" >&2
  exit 1
fi
use_cubic </dev/null >/dev/null 3>&- 4>&- &
servers+=($!)
status=0
"$@" || status=$?
exit "$status"
