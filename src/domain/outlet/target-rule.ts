import { isLoopback } from "#contract/loopback.ts";

/** The parts of a URL that are needed here. The type URL does not exist in every runtime of the domain. */
export type TargetAddress = { readonly protocol: string; readonly hostname: string; readonly port: string };

export type TargetRule = {
  /** The addresses of this installation. A webhook to them would cause events itself. */
  readonly own: readonly TargetAddress[];
  /** Whether the installation also sends to private addresses and by plain HTTP: one that runs on its user's machine. */
  readonly allowPrivate: boolean;
  /** Whether the installation can send mail, which has addresses such as `mailto:ops@example.com`. */
  readonly sendsMail: boolean;
};

const NO_MAIL =
  "This installation cannot send mail. It needs the binding EMAIL and the variable EMAIL_FROM in wrangler.toml.";
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Why a webhook must not have this target, as a sentence; null: it may. A parsed URL writes every IPv4 address as four
 * numbers and every IPv6 address in brackets. Where a public name leads to is not checked: a Worker has no route into
 * private networks.
 */
export function targetProblem(
  target: TargetAddress,
  { own, allowPrivate, sendsMail }: TargetRule,
): string | null {
  if (target.protocol === "mailto:") return sendsMail ? null : NO_MAIL;
  const name = nameOf(target);
  if (own.some((address) => isSamePlace(target, address, allowPrivate)))
    return "The address is that of this installation itself.";
  if (allowPrivate) return null;
  if (target.protocol !== "https:") return "The address must begin with https://.";
  if (IPV4.test(name) || name.startsWith("[")) return "The address must have a host name, not an IP address.";
  if (PRIVATE_NAME.test(name) || !name.includes("."))
    return "The address must have a public host name: this one is only known in a private network.";
  return null;
}

/** Where private addresses are allowed, something else may listen on another port of the same machine. */
function isSamePlace(target: TargetAddress, own: TargetAddress, allowPrivate: boolean): boolean {
  const [one, other] = [nameOf(target), nameOf(own)];
  const isSameHost = one === other || (isLoopback(one) && isLoopback(other));
  return isSameHost && (!allowPrivate || portOf(target) === portOf(own));
}

/** `example.com.` is the same host as `example.com`. */
function nameOf({ hostname }: TargetAddress): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function portOf({ protocol, port }: TargetAddress): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
