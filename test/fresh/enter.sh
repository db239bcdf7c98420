#!/usr/bin/env bash
# enter.sh ROOT CHANGES USER COMMAND...: runs COMMAND as USER in the checkout of the root file system ROOT, whose changes
# are kept in the folder CHANGES. Entered by pivot_root: in a chroot the kernel makes no user namespaces, which labs are. main.ts
# runs it in namespaces of its own, with which all mounts and processes go. Needs root. Network, kernel and CPUs are this machine's.
set -euo pipefail
[ $$ = 1 ] || {
  echo "enter.sh: run it by \`npm run bench -- fresh\`: outside a namespace of its own it would change this machine's root" >&2
  exit 2
}
root=$(realpath "$1")
changes=$(realpath "$2")
user=$3
shift 3

mkdir -p "$changes/upper" "$changes/work" "$changes/merged"
cd "$changes"
mount -t overlay -o "lowerdir=$root,upperdir=upper,workdir=work" overlay merged
cd merged
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
# As udev makes them, and nothing else of this machine's devices.
mount -t tmpfs -o mode=755,nosuid tmpfs dev
mkdir -p dev/net dev/pts dev/shm
for device in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0 net/tun:10:200; do
  IFS=: read -r name major minor <<<"$device"
  mknod -m 666 "dev/$name" c "$major" "$minor"
done
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
cat /etc/resolv.conf >etc/resolv.conf
printf '127.0.0.1 localhost fresh\n::1 localhost\n' >etc/hosts
hostname fresh
# The root may have no umount, and this machine's would mix its libraries with the root's; every Debian has perl.
case $(uname -m) in
x86_64) umount2=166 ;;
aarch64) umount2=39 ;;
*) echo "enter.sh: the number of umount2 is not known on $(uname -m)" >&2 && exit 2 ;;
esac
pivot_root . mnt
perl -e 'my ($call, $path) = @ARGV; syscall($call + 0, $path, 2) == 0 or die "umount: $!\n"' "$umount2" /mnt # MNT_DETACH
home=/root
as=()
cd /home/fresh/trilane
if [ "$user" = root ]; then
  # In one's own home, as anybody has it: a lab may not enter others'.
  [ -d "$home/trilane" ] || cp -r . "$home/trilane"
  cd "$home/trilane"
else
  home=/home/$user
  as=(setpriv --reuid "$user" --regid "$user" --init-groups --inh-caps=-all)
fi
# What this machine's clients are told about registries and certificates; nothing else of its environment.
keep=()
while IFS= read -r name; do keep+=("$name=${!name}"); done < <(
  compgen -e | grep -iE '^(https?|no|all)_proxy$|^npm_config_(registry|.*proxy|cafile)$|^CARGO_(HTTP|NET|REGISTR|SOURCE)|^RUSTUP_(DIST|UPDATE)|^(SSL_CERT|CURL_CA|NODE_EXTRA_CA|GOPROXY)' || true
)
exec "${as[@]}" env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb CI=true \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${keep[@]}" "$@" </dev/null
