fact() {
  if [ -f "$facts" ]; then sed -n "s/^$1=//p" "$facts"; fi
}

# Removes facts from the record.
forget_facts() {
  for name in "$@"; do
    sed "/^$name=/d" "$facts" >"$facts.new"
    mv -f "$facts.new" "$facts"
  done
}

# Whether the installer created the current home folder or user.
has_made() {
  case $1 in
    home) [ "$(fact made_home)" = yes ] && [ "$(fact home)" = "$home" ] ;;
    user) [ "$(fact made_user)" = yes ] && [ "$(fact user)" = "$user" ] ;;
  esac
}

# --- requirements ---

check_machine() {
  [ "$(uname -s)" = Linux ] || fail 4 "the agent's service needs Linux; this is $(uname -s)."
  if [ $is_service = yes ]; then
    [ "$(id -u)" -eq 0 ] || fail 6 "root is required: run the same line as root, or add --no-service."
    if ! [ -d /run/systemd/system ] || ! command -v systemctl >/dev/null; then
      fail 4 "systemd does not run on this machine. Add --no-service, and let another supervisor start the agent."
    fi
  fi
}

check_tools() {
  node=$(command -v node || command -v nodejs || true)
  [ -n "$node" ] || fail 5 "Node $oldest_node or newer is missing. $(install_hint node)"
  has=$("$node" -p 'process.versions.node' 2>/dev/null) || fail 5 "$node cannot be started. $(install_hint node)"
  is_older "$has" $oldest_node && fail 5 "Node $oldest_node or newer is required; $node is version $has. $(install_hint node)"
  if [ $is_service = yes ]; then
    case $("$node" -p 'process.execPath') in
      /home/* | /root/*)
        fail 5 "$node is in a home folder, where a service cannot use it. $(install_hint node)"
        ;;
    esac
  fi
  command -v git >/dev/null || fail 5 "git $oldest_git or newer is missing. $(install_hint git)"
  has=$(git --version | sed 's/^git version //; s/ .*//')
  is_older "$has" $oldest_git && fail 5 "git $oldest_git or newer is required; the installed version is $has. $(install_hint git)"
  return 0
}

# Whether version $1 is older than $2, by major and minor version.
is_older() {
  awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, "."); split(b, y, "."); exit !(x[1] + 0 < y[1] + 0 || (x[1] + 0 == y[1] + 0 && x[2] + 0 < y[2] + 0)) }'
}

install_hint() {
  system=''
  if [ -r /etc/os-release ]; then system=$(sed -n 's/^ID=//p; s/^ID_LIKE=//p' /etc/os-release | tr '\n"' '  '); fi
  case "$1 $system" in
    node*alpine*) echo "Alpine: apk add nodejs" ;;
    node*fedora* | node*rhel*) echo "Fedora: dnf install nodejs" ;;
    node*debian* | node*ubuntu*) echo "Debian 13, Ubuntu 25.04 and newer: apt install nodejs. Older ones: https://nodejs.org/en/download" ;;
    node*) echo "https://nodejs.org/en/download" ;;
    git*alpine*) echo "Alpine: apk add git" ;;
    git*fedora* | git*rhel*) echo "Fedora: dnf install git" ;;
    git*debian* | git*ubuntu*) echo "Debian, Ubuntu: apt install git" ;;
    *) echo "https://git-scm.com/downloads/linux" ;;
  esac
}

# --- installation ---

work=''
made_user=no
made_home=no
# shellcheck disable=SC2317
clean_up() {
  status=$?
  if [ -n "$work" ]; then rm -rf "$work"; fi
  # A failed installation leaves nothing behind, except what the same token needs to be used again.
  if ! [ -e "$program" ]; then
    if has_made home; then rmdir "$home/.tmp" "$home" 2>/dev/null || true; fi
    if ! [ -e "$home/enrolling.json" ] && ! [ -e "$home/agent.json" ]; then
      if has_made user; then userdel "$user" 2>/dev/null || true; fi
      rm -f "$facts"
    fi
    rmdir "$lib" 2>/dev/null || true
    remove_empty_prefix
  fi
  exit "$status"
}

# The folders of a service belong to the system.
remove_empty_prefix() {
  if [ $is_service = yes ]; then return; fi
  for folder in "$prefix/share" "$prefix/lib" "$prefix/bin" "$prefix"; do
    rmdir "$folder" 2>/dev/null || true
  done
}
