# The program and the unit that ran before are kept until the new ones have started. An installation that was
# interrupted may have put new ones in their place, and the next one must be able to restore the files that ran.
keep_previous() {
  if [ -f "$1" ] && ! [ -f "$2" ]; then
    cp -p "$1" "$2.new"
    mv -f "$2.new" "$2"
  fi
}

forget_previous() {
  rm -f "$program.old" "$lib/unit.old"
}

install_files() {
  keep_previous "$program" "$program.old"
  write_wrapper >"$work/wrapper"
  chmod 755 "$work/wrapper"
  if [ -e "$work/mise" ]; then
    made_mise=$mise_version
    # Recorded first, so that an uninstallation finds it.
    write_facts
    mv -f "$work/mise" "$mise" || fail 13 "$mise cannot be written."
  fi
  write_facts
  mv -f "$work/install.sh" "$lib/install.sh"
  mv -f "$work/wrapper" "$wrapper" || fail 13 "$wrapper cannot be written."
  mv -f "$work/gantry-agent.mjs" "$program"
}

write_wrapper() {
  cat <<END
#!/bin/sh
GANTRY_HOME=\${GANTRY_HOME:-$home}
export GANTRY_HOME
# Less memory for an agent that is idle. No command of a project gets these variables.
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
exec $node --max-semi-space-size=2 --v8-pool-size=1 --no-maglev $program "\$@"
END
}
