# Decides what this run makes. A first installation records this now, so that the next run and an uninstallation know it
# even if this run is killed.
plan_making() {
  if [ $is_service = yes ] && ! id "$user" >/dev/null 2>&1; then made_user=yes; fi
  if ! [ -d "$home" ]; then made_home=yes; fi
  if ! [ -e "$program" ]; then write_facts; fi
}

make_user() {
  if id "$user" >/dev/null 2>&1; then return; fi
  useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin \
    --comment "Gantry agent" "$user" || fail 1 "the user $user cannot be created."
}

make_home() {
  # A folder that was made by an installation that was killed may not belong to its user yet.
  if [ -d "$home" ] && { [ -e "$home/agent.json" ] || ! has_made home; }; then return; fi
  mkdir -p "$home" 2>/dev/null || fail 13 "$home is not writable."
  if [ $is_service = yes ]; then
    # Only its user and its group may read the releases. A web server has to be in the group.
    chmod 750 "$home"
    chown "$user:$(id -gn "$user")" "$home"
  fi
}

# Checks the home folder before the token is used.
check_home() {
  if ! as_user test -w "$home"; then
    fail 13 "the user $user cannot write to $home, which belongs to $(stat -c %U "$home"). Run: chown $user $home, or choose another --home or --user."
  fi
  as_user mkdir -p -m 700 "$home/.tmp" || fail 13 "$home/.tmp cannot be created."
  own=$(getent passwd "$user" | cut -d : -f 6) || own=''
  if [ -n "$own" ] && [ "$own" != "$home" ]; then
    log "git and builds use $home as their home folder, not $own: files of $user there, such as keys, are not used."
  fi
}

# Runs a command as the service's user.
as_user() {
  if [ "$(id -un)" = "$user" ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    HOME=$home runuser -u "$user" -- "$@"
  else
    # The arguments are paths and URLs that were checked, so they need no quotes.
    su -s /bin/sh -c "exec $*" "$user"
  fi
}

enrol() {
  [ -n "$token" ] || return 0
  # Exported for this command only, because all users can see a program's arguments.
  if output=$(
    GANTRY_TOKEN=$token && export GANTRY_TOKEN
    as_user "$node" "$work/gantry-agent.mjs" enroll --url "$origin" --home "$home" 2>&1 </dev/null
  ); then
    log "${output#* }"
    return 0
  else
    code=$?
  fi
  # The first installation's line was run again: its token is used, and the server is enrolled.
  if [ $code -eq 10 ] && grep -qF "\"url\": \"$origin\"" "$home/agent.json" 2>/dev/null; then
    log "the token was refused, probably because it was used before. This server stays enrolled."
    return 0
  fi
  fail $code "$output"
}

# Records this installation for a later update or removal.
write_facts() {
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  printf '%s\n' "home=$home" "user=$user" "service=$is_service" "made_user=$made_user" "made_home=$made_home" \
    "made_mise=$made_mise" "caddy=$caddy" "made_caddy=$made_caddy" "metrics=$metrics" \
    >"$work/installed"
  mv -f "$work/installed" "$facts"
}
