#!/usr/bin/env bash
# live_lab.sh GUARD... -- COMMAND...: runs COMMAND in a network namespace of its own that reaches the world through pasta, in user
# space and without root. GUARD is `trilane-guard --new-network ...`, which makes the namespace: AppArmor may allow it that
# (cli/install/apparmor.profile), and not unshare. COMMAND is trilane-shaper, for which this namespace is the far side: the link lies between it and the
# browser. Descriptors 3 and 4 and the exit status are COMMAND's.
#
# pasta is attached from outside and not COMMAND's parent, because newer ones close the descriptors they inherit.
# It forwards for whichever address sent last, so the near side's needs no translation.
set -euo pipefail
lab=$$
guard=()
while [ "$1" != -- ]; do
  guard+=("$1")
  shift
done
shift

attach() {
  local own
  own=$(readlink /proc/self/ns/net)
  while [ "$(readlink /proc/$lab/ns/net)" = "$own" ]; do sleep 0.02; done
  local user=()
  # As root it would become nobody, who may not enter the namespace.
  if [ "$(id -u)" = 0 ]; then user=(--runas 0); fi
  pasta --foreground --quiet --config-net --no-map-gw --dns-forward 100.64.0.53 "${user[@]}" \
    -t none -u none -T none -U none "$lab" &
  # It would stay when the lab goes.
  trap 'kill $! 2>/dev/null' EXIT
  tail --pid="$lab" --sleep-interval=0.1 -f /dev/null
}

# shellcheck disable=SC2016 # expanded by the inner shell
inside='
for _ in $(seq 250); do
  if grep -q "00000000" /proc/net/route; then
    echo 1 >/proc/sys/net/ipv4/ip_forward
    [ ! -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
    exec "$@"
  fi
  sleep 0.02
done
echo "trilane: pasta gave the lab no way out: see that it is installed (apt install passt) and that this machine has a network" >&2
exit 1
'

attach </dev/null >/dev/null 3>&- 4>&- &
disown
exec "${guard[@]}" -- sh -c "$inside" sh "$@"
