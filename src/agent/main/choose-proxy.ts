import { BlockList, isIP } from "node:net";

import { isLoopback } from "#contract/loopback.ts";

/**
 * How the agent connects to the control plane. `unusable`: the environment names a proxy that the agent cannot use,
 * so it connects without one.
 */
export type ProxyChoice =
  | { readonly kind: "direct" }
  | { readonly kind: "proxy"; readonly proxy: URL }
  | { readonly kind: "unusable"; readonly reason: string };

const direct: ProxyChoice = { kind: "direct" };

/**
 * Chooses the proxy for the control plane from `HTTPS_PROXY` and `NO_PROXY`. Lower-case names take precedence, as in
 * curl. Loopback addresses are never reached through a proxy. Other addresses need TLS anyway, so HTTP_PROXY is not
 * read.
 */
export function chooseProxy(environment: NodeJS.ProcessEnv, target: URL): ProxyChoice {
  const read = (name: string): string => environment[name.toLowerCase()] || environment[name] || "";
  const written = read("HTTPS_PROXY").trim();
  if (written === "" || isLoopback(target.hostname) || isExcepted(read("NO_PROXY"), target)) return direct;
  const text = written.includes("://") ? written : `http://${written}`;
  if (!URL.canParse(text)) return { kind: "unusable", reason: "HTTPS_PROXY is not an address" };
  const proxy = new URL(text);
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    return {
      kind: "unusable",
      reason: `HTTPS_PROXY has the scheme ${proxy.protocol.slice(0, -1)}, not http or https`,
    };
  return { kind: "proxy", proxy };
}

/** An entry is `*`, a domain that includes its subdomains, an IP address or a subnet, each with an optional port. */
function isExcepted(list: string, target: URL): boolean {
  const host = bare(target.hostname);
  const port = target.port || "443";
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInSubnet(host, entry);
      const parts = /^(\[.+\]|[^:]+)(?::(\d+))?$/.exec(entry);
      if (parts?.[2] !== undefined && parts[2] !== port) return false;
      const name = bare(parts?.[1] ?? entry).replace(/^\*?\./, "");
      return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
    });
}

function isInSubnet(host: string, entry: string): boolean {
  const [address = "", bits = ""] = entry.split("/");
  const family = isIP(host);
  if (family === 0 || isIP(address) !== family || !/^\d{1,3}$/.test(bits)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}
