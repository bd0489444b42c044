main() {
  # Independent of root's umask: the service's user must be able to read the installed files.
  umask 022
  read_options "$@"
  read_places
  if [ $action = uninstall ]; then
    uninstall_agent
  else
    trap clean_up EXIT
    trap 'exit 1' INT TERM HUP
    install_agent
  fi
}

main "$@" </dev/null
exit
}
