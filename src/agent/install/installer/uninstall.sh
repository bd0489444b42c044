# --- removal ---

uninstall_agent() {
  # The installation's record decides.
  if [ "$(fact service)" = no ]; then is_service=no; fi
  [ $is_service = no ] || [ "$(id -u)" -eq 0 ] ||
    fail 6 "root is required: run the same line as root, or add --no-service if the agent was installed with it."
  if ! is_installed; then
    fail 16 "no agent in $prefix and no agent's files in $home: nothing was removed. If the agent was installed with --no-service, --prefix or --home, run the same line with these options too."
  fi
  node=$(command -v node || command -v nodejs || true)
  server=$(sed -n 's/.*"server_id": "\([a-z0-9_]*\)".*/\1/p' "$home/agent.json" 2>/dev/null || true)
  if has_made user; then made_user=yes; fi
  if has_made home; then made_home=yes; fi
  if [ $is_service = yes ]; then
    if [ -e "$program" ] && [ -n "$node" ]; then refuse_agent_by_hand "$program"; fi
    if [ -e "$unit" ]; then
      systemctl disable --now --quiet gantry-agent || true
      rm -rf "$unit" "$tmpfiles" /run/gantry
    fi
    if [ $is_purge = yes ]; then
      end_apps
      remove_project_users
    fi
    remove_ingress
    remove_isolation
    systemctl daemon-reload
  fi
  if [ -e "$program" ] && [ -n "$node" ]; then
    pid=$(agent_pid "$program")
    [ -z "$pid" ] || fail 11 "an agent uses $home as process $pid. Stop it, and run the same line again."
    # Without the service, a process of the agent's user runs the instances of processes.
    if [ $is_service = no ] && [ -e "$home/supervisor.json" ]; then
      "$node" "$program" end-apps --home "$home" || fail 11 "the apps in $home do not end."
    fi
  fi
  # The installation's record stays as long as there is something to purge.
  if [ -n "$made_mise" ]; then
    rm -f "$mise" || fail 13 "$mise cannot be removed."
    # A mise that somebody installs there later is not removed.
    forget_facts made_mise
  fi
  remove_drafts
  rm -rf "$program" "$program.old" "$lib/unit.old" "$lib/install.sh" "$wrapper" || fail 13 "$prefix is not writable."
  if [ $is_purge = yes ]; then
    # In a folder that existed before, only the agent's files are removed.
    if [ "$made_home" = yes ]; then
      rm -rf "$home" || fail 13 "$home cannot be removed."
    else
      for name in projects git-ssh agent.json agent.lock supervisor.json supervisor.lock supervisor.sock supervisor.log supervisor.log.1 link.json enrolling.json seal.json ingress slots tools .mise .tmp .compile-cache; do rm -rf "${home:?}/$name"; done
    fi
    if [ $is_service = yes ]; then
      rm -rf "$settings"
      if [ "$made_user" = yes ] && id "$user" >/dev/null 2>&1; then userdel "$user"; fi
    fi
    rm -rf "$lib"
  fi
  remove_empty_prefix
  log "removed the agent."
  if [ $is_purge = no ] && [ -e "$home" ]; then
    log "kept: $home, with the projects' files and this server's enrolment$(left_of_service)."
    log "to remove these too, run: curl -fsSL $origin/install.sh | sh -s -- --uninstall --purge$(same_place)"
  fi
  if [ -n "$server" ]; then log "the control plane still lists this server. To remove it: DELETE $origin/v1/servers/$server"; fi
}

# Processes that activate commands started keep running without the service, in its control group. systemd forgets the
# group of a stopped unit, so it is read here: with cgroup v2, and with v1.
app_pids() {
  for group in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    cat "$group/system.slice/gantry-agent.service/cgroup.procs" 2>/dev/null || true
  done | grep -x '[1-9][0-9]*' | sort -u
}

end_apps() {
  for signal in TERM KILL; do
    waited=0
    while [ $waited -lt 10 ]; do
      pids=$(app_pids)
      if [ -z "$pids" ]; then return; fi
      # shellcheck disable=SC2086
      if [ $waited -eq 0 ]; then kill -s $signal $pids 2>/dev/null || true; fi
      sleep 0.5 2>/dev/null || sleep 1
      waited=$((waited + 1))
    done
  done
}

# Whether any part of an installation exists.
is_installed() {
  for path in "$program" "$wrapper" "$facts" "$home/agent.json" "$home/projects"; do
    if [ -e "$path" ]; then return 0; fi
  done
  [ $is_service = yes ] && [ -e "$unit" ]
}

left_of_service() {
  if [ $is_service = no ]; then return; fi
  printf '%s' "; $settings; the user $user"
  if [ -e "$ingress_state" ]; then printf '%s' "; $ingress_state, with the certificates"; fi
}

same_place() {
  if [ $is_service = no ]; then printf ' --no-service'; fi
  case $prefix in /usr/local | "${HOME:-}/.local") ;; *) printf ' --prefix %s' "$prefix" ;; esac
}
