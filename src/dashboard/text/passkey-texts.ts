import { isLoopback } from "#contract/loopback.ts";

/** What the address of a page and its browser say about passkeys. */
type PasskeyPlace = {
  readonly address: Pick<URL, "hostname" | "port" | "protocol" | "pathname" | "hash">;
  /** Whether the browser offers passkeys here. */
  readonly hasPasskeys: boolean;
  readonly isSecure: boolean;
};

/** Why a page cannot use passkeys: a sentence, and an address of the same page where it can; null: the page does not know one. */
export type PasskeyObstacle = { readonly text: string; readonly betterAddress: string | null };

/** What prevents passkeys on a page; null: nothing. Passkeys belong to a host name, and browsers refuse IP addresses. */
export function passkeyObstacle({ address, hasPasskeys, isSecure }: PasskeyPlace): PasskeyObstacle | null {
  const { hostname, port, protocol, pathname, hash } = address;
  if (isIpAddress(hostname)) {
    const isHere = isLoopback(hostname);
    return {
      text: isHere
        ? `Passkeys belong to a host name, and ${hostname} is an IP address. Open Gantry at localhost.`
        : `Passkeys belong to a host name, and ${hostname} is an IP address. Open Gantry by its host name.`,
      betterAddress: isHere
        ? `${protocol}//localhost${port === "" ? "" : `:${port}`}${pathname}${hash}`
        : null,
    };
  }
  if (!isSecure) return { text: "Passkeys need HTTPS. This page is served over HTTP.", betterAddress: null };
  return hasPasskeys ? null : { text: "This browser does not support passkeys.", betterAddress: null };
}

function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname);
}

/** The first match counts, because browsers name others too: Edge says that it is Chrome, and Chrome that it is Safari. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const devices: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bMacintosh\b/, "Mac"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A name for a passkey that is made in a browser, such as `Chrome on Mac`. @param userAgent of the browser */
export function deviceName(userAgent: string): string {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  const [browser, device] = [find(browsers), find(devices)];
  if (browser === null) return device ?? "Passkey";
  return device === null ? browser : `${browser} on ${device}`;
}

/** The sentence for an error of `navigator.credentials.get`. @param name the error's name */
export function signingProblem(name: string, hostname: string): string {
  switch (name) {
    case "NotAllowedError":
      return `It was canceled, or this device has no passkey for ${hostname}.`;
    case "SecurityError":
      return `The browser does not allow passkeys at ${hostname}.`;
    default:
      return `The browser could not use a passkey (${name}).`;
  }
}

/** The sentence for an error of `navigator.credentials.create`. @param name the error's name */
export function creatingProblem(name: string, hostname: string): string {
  switch (name) {
    case "NotAllowedError":
      return "It was canceled, or took too long. Try again.";
    case "InvalidStateError":
      return "This device or password manager has a passkey of yours for Gantry already.";
    case "NotSupportedError":
    case "ConstraintError":
      return "This device cannot store a passkey that asks for a PIN, a fingerprint or a face. Use a phone, a security key or a password manager.";
    case "SecurityError":
      return `The browser does not allow passkeys at ${hostname}.`;
    default:
      return `The browser could not create a passkey (${name}).`;
  }
}
