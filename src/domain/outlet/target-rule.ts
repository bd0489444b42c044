import { hostKind, plainHost } from "#contract/addresses/host-kind.ts";

/** The parts of a URL that are needed here. The type URL does not exist in every runtime of the domain. */
export type TargetAddress = { readonly protocol: string; readonly hostname: string; readonly port: string };

export type TargetRule = {
  /** The addresses of this installation. A webhook to them would cause events itself. */
  readonly own: readonly TargetAddress[];
  /**
   * Whether the installation also sends to private addresses and by plain HTTP: an installation that runs on its user's
   * machine.
   */
  readonly allowPrivate: boolean;
  /** Whether the installation can send mail, which has addresses such as `mailto:ops@example.com`. */
  readonly sendsMail: boolean;
};

const NO_MAIL =
  "This installation cannot send mail. It needs the binding EMAIL and the variable EMAIL_FROM in wrangler.toml.";

/**
 * Why a webhook must not have this target, as a sentence; null: it may. Where a public name leads to is not checked: a
 * Worker has no route into private networks.
 */
export function targetProblem(
  target: TargetAddress,
  { own, allowPrivate, sendsMail }: TargetRule,
): string | null {
  if (target.protocol === "mailto:") return sendsMail ? null : NO_MAIL;
  if (own.some((address) => isSamePlace(target, address, allowPrivate)))
    return "The address belongs to this installation itself.";
  if (allowPrivate) return null;
  if (target.protocol !== "https:") return "The address must begin with https://.";
  switch (hostKind(target.hostname)) {
    case "name":
      return null;
    case "address":
    case "private":
    case "unspecified":
      return "The address must have a host name, not an IP address.";
    case "loopback":
    case "local_name":
      return "The address must have a public host name: this one is only known in a private network.";
  }
}

/** Where private addresses are allowed, something else may listen on another port of the same machine. */
function isSamePlace(target: TargetAddress, own: TargetAddress, allowPrivate: boolean): boolean {
  const isSameHost =
    plainHost(target.hostname) === plainHost(own.hostname) ||
    (isThisMachine(target) && (isThisMachine(own) || isOnPrivateNetwork(own)));
  return isSameHost && (!allowPrivate || portOf(target) === portOf(own));
}

/** Whether the installation would send to the machine that it runs on. */
function isThisMachine({ hostname }: TargetAddress): boolean {
  const kind = hostKind(hostname);
  return kind === "loopback" || kind === "unspecified";
}

/** Such an address of the installation is often another one of the machine that it runs on. */
function isOnPrivateNetwork({ hostname }: TargetAddress): boolean {
  const kind = hostKind(hostname);
  return kind === "private" || kind === "local_name";
}

function portOf({ protocol, port }: TargetAddress): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
