/**
 * Exit codes of the agent's process; the installer (src/agent/install/installer) passes on the exit codes of `enroll`
 * and `status`. `give_up`: another start fails too until a person has changed something, so a supervisor should not
 * restart the agent (EX_CONFIG of sysexits.h; RestartPreventExitStatus in the systemd unit).
 */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  not_connected: 3,
  unreachable: 7,
  token_refused: 10,
  protocol_mismatch: 14,
  give_up: 78,
} as const;
