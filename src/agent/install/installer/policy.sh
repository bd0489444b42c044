# Prints the policy that the options ask for.
print_policy() {
  if [ "$policy" = strict ]; then
    # shellcheck disable=SC2016
    "$node" -e '
      const [text, repositories] = process.argv.slice(1);
      const policy = JSON.parse(text);
      if (repositories) policy.repositories = repositories.split(",").map((one) => one.trim());
      console.log(JSON.stringify(policy, null, 2));
    ' '@STRICT_POLICY@' "$repositories"
    return
  fi
  cat <<'END'
{
  "version": 1,
  "repositories": "any",
  "branches": "any",
  "commits": "any",
  "build_commands": "any",
  "activate_commands": "any",
  "shared_paths": "any",
  "secrets": "any",
  "health_checks": "any",
  "remove_projects": "any",
  "limits": {}
}
END
}

write_policy() {
  mkdir -p "$settings" 2>/dev/null || fail 13 "$settings is not writable."
  chmod 755 "$settings"
  if [ -e "$settings/policy.json" ]; then
    if [ -n "$policy" ] && [ "$(print_policy)" != "$(cat "$settings/policy.json")" ]; then
      log "kept the policy of this server, $settings/policy.json: --policy $policy changes no existing one. To replace it, move the file away, and run: curl -fsSL $origin/install.sh | sh -s -- --policy $policy"
    fi
    return
  fi
  print_policy >"$settings/policy.json.new" || fail 13 "$settings is not writable."
  chmod 644 "$settings/policy.json.new"
  output=$("$node" "$work/gantry-agent.mjs" check-policy "$settings/policy.json.new" 2>&1) || {
    rm -f "$settings/policy.json.new"
    rmdir "$settings" 2>/dev/null || true
    fail 2 "the policy is refused, and nothing was installed. Check --repositories, which is a list such as 'https://github.com/you/*,git@github.com:you/*'. $output"
  }
  mv "$settings/policy.json.new" "$settings/policy.json"
}

# Lists of commands and the commands of repositories, which are stricter, stay.
allow_in_policy() {
  if [ -z "$rules" ]; then return; fi
  # shellcheck disable=SC2016,SC2086 # the rules are words
  "$node" -e '
    const { readFileSync, writeFileSync } = require("fs");
    const [path, ...rules] = process.argv.slice(1);
    const policy = JSON.parse(readFileSync(path, "utf8"));
    for (const rule of rules) if ((policy[rule] ?? "none") === "none") policy[rule] = "any";
    writeFileSync(path + ".new", JSON.stringify(policy, null, 2) + "\n");
  ' "$settings/policy.json" $rules || fail 1 "the rules for --allow-${rules##* } cannot be written into $settings/policy.json."
  chmod 644 "$settings/policy.json.new" && mv "$settings/policy.json.new" "$settings/policy.json"
  log "allowed by $settings/policy.json:$rules"
}
