#!/usr/bin/env bash
# build_cache.sh store KIND KEY FOLDER FILE... keeps files of FOLDER for the next checkout of this machine; build_cache.sh
# restore KIND KEY FOLDER puts them there, or fails if they are not kept. What is the same under one KEY is up to the
# caller. npm packages are hard links, if that can be; programs are copies, since some tools write into a file in place.
# An entry of which a file was changed or lost since is removed. Those of a KIND that no set-up used for a month go when
# another is stored, and so do all but the last four. The builds of quiche beside them are quic.sh's.
set -euo pipefail
action=$1
kind=$2
folder=$4
cache=${TRILANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trilane}
entry=$cache/$kind-$3
shift 4

# One at a time of each kind: no entry is removed while another set-up reads it. Of a cache that is another user's nothing
# is removed; some file systems have no locks.
lock() {
  if { exec 7>"$cache/$kind.lock"; } 2>/dev/null; then flock -w 600 7 2>/dev/null || true; fi
}
listing() { (cd "$1" && find . ! -type d -printf '%P %y %s %T@ %m %l\n' | LC_ALL=C sort); }
# copy FROM TO FILE...: relative to FROM.
copy() {
  local from=$1 to=$2
  shift 2
  mkdir -p "$to"
  [ "$kind" != npm ] || ! (cd "$from" && cp -al --parents -- "$@" "$to/") 2>/dev/null || return 0
  (cd "$from" && cp -a --reflink=auto --parents -- "$@" "$to/")
}

restore() {
  [ -d "$entry" ] || return 1
  lock
  if [ "$(listing "$entry/files" 2>/dev/null)" != "$(cat "$entry/listing" 2>/dev/null)" ]; then
    echo "setup: $entry was changed since it was stored: it is made again" >&2
    rm -rf "$entry" 2>/dev/null || true
    return 1
  fi
  touch "$entry" 2>/dev/null || true
  copy "$entry/files" "$(realpath -m "$folder")" . 2>/dev/null
}

# Set-up does not need it: a full disk or a folder that may not be written is no failure.
store() {
  local part=$entry.part
  mkdir -p "$cache" && lock && [ ! -e "$entry" ] || return 0
  rm -rf "$cache/$kind"-*.part # of a set-up that was killed: the lock is ours
  mkdir "$part" && copy "$folder" "$part/files" "$@" && listing "$part/files" >"$part/listing" && mv "$part" "$entry" || {
    rm -rf "$part"
    return 0
  }
  find "$cache" -mindepth 1 -maxdepth 1 -type d -name 'quic-*' -mtime +60 -exec rm -rf {} +
  find "$cache" -mindepth 1 -maxdepth 1 -type d -name "$kind-*" -printf '%T@ %p\n' | sort -rn | {
    kept=0
    month_ago=$(($(date +%s) - 30 * 86400))
    while read -r used path; do
      kept=$((kept + 1))
      [ $kept -le 4 ] && [ "${used%.*}" -ge $month_ago ] || rm -rf "$path"
    done
  }
}

case $action in
restore) restore ;;
store) store "$@" 2>/dev/null ;;
esac
