import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { plainHttp } from "#agent/lib/http/control-plane.ts";
import { type ListenAddress, parseListenAddress } from "#agent/metrics/listen-address.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { parseAddress } from "#contract/addresses/web-address.ts";
import { isOpenToOthers } from "#contract/loopback.ts";

export const USAGE = `usage:
  gantry-agent enroll --url URL [--token TOKEN] --home DIR            enrol this server with a control plane
  gantry-agent run --home DIR [--policy FILE] [--sites-socket PATH] [--external-supervisor] [--isolate SOCKET] [--slots DIR]
                   [--ingress FILE] [--allow-commands] [--allow-cron] [--metrics ADDRESS:PORT]
                                                                      run the agent
  gantry-agent status --home DIR                                      show whether the agent is connected
  gantry-agent forget-host HOST --home DIR                            trust the next key of an ssh host, such as [git.example.com]:2222
  gantry-agent check-policy FILE                                      check a policy file and print its rules
  gantry-agent end-builds --home DIR [--isolate SOCKET]               end builds that a stopped agent left running
  gantry-agent supervise --home DIR                                   run the supervisor of apps; usually the agent starts it
  gantry-agent end-apps --home DIR                                    end the supervisor and the apps that it runs
  gantry-agent --version

Set GANTRY_TOKEN instead of --token, which other users of this server can see.
Set GANTRY_HOME instead of --home.`;

export type AgentArguments =
  | { readonly kind: "enroll"; readonly url: string; readonly token: string; readonly home: string }
  | {
      readonly kind: "run";
      readonly home: string;
      readonly policy: string | null;
      readonly sitesSocket: string | null;
      /** Whether another program keeps the supervisor running. Otherwise the agent starts it. */
      readonly isSupervisorExternal: boolean;
      /** The isolation helper's socket; `null` when projects share the agent's user. */
      readonly isolate: string | null;
      /** The folder of the slots; `null` for the folder in the home folder. */
      readonly slots: string | null;
      /** The settings of the ingress, if this server has one of its own. */
      readonly ingress: string | null;
      /** Whether one-off commands are allowed on a server without a policy file. */
      readonly allowsCommands: boolean;
      /** Whether cron jobs are allowed on a server without a policy file. */
      readonly allowsCron: boolean;
      /** Where to serve metrics; `null`: nowhere. */
      readonly metrics: ListenAddress | null;
    }
  | { readonly kind: "status"; readonly home: string }
  | { readonly kind: "end_builds"; readonly home: string; readonly isolate: string | null }
  | { readonly kind: "supervise" | "end_apps"; readonly home: string }
  | { readonly kind: "forget_host"; readonly host: string; readonly home: string }
  | { readonly kind: "check_policy"; readonly path: string }
  | { readonly kind: "version" }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** Parses the command line without the names of node and the script. Environment variables replace missing options. */
export function readArguments(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): AgentArguments {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        url: { type: "string" },
        token: { type: "string" },
        home: { type: "string" },
        policy: { type: "string" },
        "sites-socket": { type: "string" },
        "external-supervisor": { type: "boolean" },
        isolate: { type: "string" },
        slots: { type: "string" },
        ingress: { type: "string" },
        "allow-commands": { type: "boolean" },
        "allow-cron": { type: "boolean" },
        metrics: { type: "string" },
        version: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return { kind: "wrong", message: messageOf(error) };
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const [command, ...others] = positionals;
  if (command === "check-policy") {
    const [path, ...more] = others;
    if (path === undefined) return { kind: "wrong", message: "check-policy needs a file" };
    return more.length > 0 ? unexpected(more) : { kind: "check_policy", path: resolve(path) };
  }
  const home = values.home ?? environment["GANTRY_HOME"];
  if (command === "forget-host") {
    const [host, ...more] = others;
    if (host === undefined) return { kind: "wrong", message: "forget-host needs a host" };
    if (more.length > 0) return unexpected(more);
    return home === undefined ? missing("--home") : { kind: "forget_host", host, home: resolve(home) };
  }
  if (others.length > 0) return unexpected(others);
  switch (command) {
    case "enroll": {
      const { url } = values;
      const token = values.token ?? environment["GANTRY_TOKEN"];
      if (url === undefined) return missing("--url");
      if (token === undefined) return missing("--token");
      if (home === undefined) return missing("--home");
      const read = parseAddress(url);
      if (!read.ok) return { kind: "wrong", message: `--url ${read.message}, not ${url}` };
      const address = read.value;
      if (isOpenToOthers(address)) return { kind: "wrong", message: plainHttp(address.text) };
      return { kind: "enroll", url: address.text.replace(/\/+$/, ""), token, home: resolve(home) };
    }
    case "run": {
      const { policy, "sites-socket": socket, isolate, slots, ingress } = values;
      if (home === undefined) return missing("--home");
      const metrics = values.metrics === undefined ? null : parseListenAddress(values.metrics);
      if (typeof metrics === "string") return { kind: "wrong", message: metrics };
      return {
        kind: "run",
        home: resolve(home),
        policy: policy === undefined ? null : resolve(policy),
        sitesSocket: socket === undefined ? null : resolve(socket),
        isSupervisorExternal: values["external-supervisor"] === true,
        isolate: isolate === undefined ? null : resolve(isolate),
        slots: slots === undefined ? null : resolve(slots),
        ingress: ingress === undefined ? null : resolve(ingress),
        allowsCommands: values["allow-commands"] === true,
        allowsCron: values["allow-cron"] === true,
        metrics,
      };
    }
    case "status":
      return home === undefined ? missing("--home") : { kind: "status", home: resolve(home) };
    case "supervise":
      return home === undefined ? missing("--home") : { kind: "supervise", home: resolve(home) };
    case "end-apps":
      return home === undefined ? missing("--home") : { kind: "end_apps", home: resolve(home) };
    case "end-builds":
      if (home === undefined) return missing("--home");
      return {
        kind: "end_builds",
        home: resolve(home),
        isolate: values.isolate === undefined ? null : resolve(values.isolate),
      };
    case undefined:
      return { kind: "wrong", message: "a command is missing: enroll, run, status or check-policy" };
    default:
      return { kind: "wrong", message: `unknown command ${command}` };
  }
}

function missing(option: string): AgentArguments {
  return { kind: "wrong", message: `${option} is missing` };
}

function unexpected(words: readonly string[]): AgentArguments {
  return { kind: "wrong", message: `unexpected arguments: ${words.join(" ")}` };
}
