run_service() {
  install_isolation
  install_ingress
  keep_previous "$unit" "$lib/unit.old"
  write_unit >"$work/unit"
  cp "$work/unit" "$unit.new" || fail 13 "$unit cannot be written."
  chmod 644 "$unit.new"
  mv -f "$unit.new" "$unit"
  # Old files in the private /tmp are deleted as in the system's.
  printf '%s\n' "d $home/.tmp 0700 $user $(id -gn "$user") 10d" >"$tmpfiles.new"
  mv -f "$tmpfiles.new" "$tmpfiles"
  systemctl daemon-reload
  if [ $is_started = no ]; then
    forget_previous
    log "installed. Start it with: systemctl enable --now gantry-agent"
    return
  fi
  systemctl enable --quiet gantry-agent
  if start_service; then result=0; else result=$?; fi
  case $result in
    0) log "$output" ;;
    3)
      forget_previous
      fail 3 "the service runs, but is $output. It keeps trying. See its log: journalctl -u gantry-agent"
      ;;
    *)
      reason=$(last_log_lines)
      if [ -f "$program.old" ]; then
        mv -f "$program.old" "$program"
        # The previous version may not know all options of the new unit.
        if [ -f "$lib/unit.old" ]; then mv -f "$lib/unit.old" "$unit"; fi
        systemctl daemon-reload
        systemctl restart gantry-agent || true
        fail 12 "the agent $agent_version does not start, so the previous version was put back. $reason"
      fi
      fail 12 "the agent does not start. $reason"
      ;;
  esac
  forget_previous
}

print_how_to_run() {
  forget_previous
  log "installed $wrapper, for $user."
  pid=$(agent_pid "$program")
  if [ -n "$pid" ]; then
    log "process $pid still runs the previous version: restart it."
  fi
  log "run it with: $wrapper run"
}

# Without a token, the server must be enrolled with this control plane already: each control plane has its own agent.
check_enrolment() {
  if [ -n "$token" ]; then return; fi
  if ! [ -e "$home/agent.json" ]; then
    fail 9 "this server is not enrolled, and no enrolment token was given. Create one with POST /v1/servers, or POST /v1/servers/{id}/enrollment for an existing server, and set it as GANTRY_TOKEN."
  fi
  other=$(sed -n 's/.*"url": "\([^"]*\)".*/\1/p' "$home/agent.json" 2>/dev/null) || true
  if [ "$other" != "$origin" ]; then
    fail 9 "this server is enrolled with $other, but this is the agent of $origin. Run the install line of $other to update it, or set an enrolment token of $origin as GANTRY_TOKEN."
  fi
}

install_agent() {
  check_machine
  check_tools
  check_enrolment
  fetch_agent
  prepare_ingress
  prepare_containers
  fetch_mise
  plan_making
  if [ $is_service = yes ]; then
    make_user
    make_home
    check_home
    refuse_agent_by_hand "$work/gantry-agent.mjs"
    write_policy
    allow_in_policy
  else
    make_home
  fi
  enrol
  install_files
  if [ $is_service = yes ]; then run_service; else print_how_to_run; fi
}
