# Lets Trilane's programs make user namespaces where AppArmor keeps unprivileged programs from it (Ubuntu 23.10 and later), instead
# of allowing them to every program. In Trilane's folder:
#   sed "s|TRILANE_FOLDER|$PWD|" cli/install/apparmor.profile | sudo tee /etc/apparmor.d/trilane >/dev/null
#   sudo apparmor_parser --replace /etc/apparmor.d/trilane
# trilane-replay, -shaper and -flows make labs, trilane-guard the network in which `record --link` makes its own.
# Whoever can write that folder can use what this allows. Browsers have profiles of their packages. Removed by
#   sudo apparmor_parser --remove /etc/apparmor.d/trilane; sudo rm /etc/apparmor.d/trilane
abi <abi/4.0>,
include <tunables/global>

profile trilane "TRILANE_FOLDER/build/native/{replay/trilane-replay,shaper/trilane-shaper,flows/trilane-flows,guard/trilane-guard}" flags=(unconfined) {
  userns,
}

# For a container, as `docker run --security-opt apparmor=trilane-container`: Docker's own allows no mount, also in a namespace.
profile trilane-container flags=(attach_disconnected,mediate_deleted) {
  capability,
  file,
  mount,
  network,
  pivot_root,
  ptrace peer=trilane-container,
  signal,
  umount,
  unix,
  userns,

  deny /proc/kcore rwklx,
  deny /proc/sys/kernel/core_pattern rwklx,
  deny /proc/sysrq-trigger rwklx,
  deny /sys/firmware/** rwklx,
  deny /sys/kernel/security/** rwklx,
}
