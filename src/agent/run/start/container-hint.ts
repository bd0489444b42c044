import type { InsideListener } from "#agent/apps/supervisor.ts";

/**
 * What to do about an app that does not listen where requests reach its container.
 * @param inside the port that they are sent to
 * @param listeners where the app listens in its container
 */
export function containerHint(inside: number, listeners: readonly InsideListener[]): string {
  const [open] = listeners.filter(({ isLocal }) => !isLocal);
  const [local] = listeners;
  if (open !== undefined)
    return `The app listens on port ${open.port} of its container: set container_port of its process to ${open.port}, or let it use the port in PORT.`;
  if (local !== undefined)
    return `The app listens at 127.0.0.1:${local.port} of its container, which nothing outside reaches: it must use the address in HOST, which is 0.0.0.0${local.port === inside ? "" : ", and the port in PORT"}.`;
  return "The app must listen on the port in PORT, at the address in HOST, which is 0.0.0.0. If it answers no requests, such as a bot, name its process worker, or set its `port` to false.";
}
