import type { ShellEnd } from "../../support/run-shell.ts";
import type { DebianMachine } from "./debian-machine.ts";

const STEPS = "/run/steps";
const TRAP = "/run/die-at-a-new-step.sh";

/**
 * Read by a bash before its script. It kills the shell before the first command that changes the system and that no
 * earlier shell died of.
 */
const DIE_AT_A_NEW_STEP = `
steps=${STEPS}
known=$'\\n'$(cat $steps)$'\\n'
declare -A counts
die_at_a_new_step() {
  local first=\${BASH_COMMAND%% *} name=\${BASH_COMMAND//$'\\n'/ } step
  case $first in
    mkdir | mktemp | chmod | chown | mv | cp | rm | rmdir | useradd | userdel | groupadd | groupdel | systemctl | HOME=*) ;;
    cat | printf | sed) case $name in *'> "'*) ;; *) return 0 ;; esac ;;
    *) return 0 ;;
  esac
  counts[$name]=$((\${counts[$name]:-0} + 1))
  # The installer asks for the agent's status again and again.
  if [ \${counts[$name]} -gt 8 ]; then return 0; fi
  step="\${counts[$name]} $name"
  case $known in *$'\\n'"$step"$'\\n'*) return 0 ;; esac
  printf '%s\\n' "$step" >>$steps
  kill -9 $$ $BASHPID
}
set -T
trap die_at_a_new_step DEBUG
`;

/**
 * Runs a shell script again and again, and kills each run before a command that changes the system and that no earlier
 * run was killed before, until a run ends by itself.
 * @returns the commands, and how the last run ended
 */
export async function killAtEachStep(
  machine: DebianMachine,
  script: string,
  args: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly steps: readonly string[]; readonly end: ShellEnd }> {
  await machine.write(TRAP, DIE_AT_A_NEW_STEP);
  await machine.write(STEPS, "");
  for (;;) {
    const end = await machine.run(`bash -s -- ${args}`, { ...env, BASH_ENV: TRAP }, script);
    if (end.code === 137) continue;
    const steps = (await machine.tell(`cat ${STEPS}`)).split("\n");
    return { steps, end };
  }
}
