/**
 * What the agent's process ends with; src/agent/install/install.sh passes those of `enroll` and `status` on.
 * `give_up`: trying again is of no use before a person has changed something, so whoever supervises the agent should not
 * start it again (EX_CONFIG of sysexits.h; RestartPreventExitStatus in the systemd unit).
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
