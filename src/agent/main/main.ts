import "#agent/main/small-heap.ts";

import { AGENT_VERSION } from "#agent/context/version.ts";
import { readArguments, USAGE } from "#agent/main/arguments.ts";
import { exitCodes } from "#agent/main/exit-codes.ts";
import {
  enrollServer,
  showStatus,
  forgetPins,
  endLeftBuilds,
  supervise,
  endApps,
  checkPolicy,
} from "#agent/main/home-commands.ts";
import { exitWith } from "#agent/main/refuse.ts";
import { runServer } from "#agent/main/run-server.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2), process.env);
  switch (args.kind) {
    case "enroll":
      return enrollServer(args.url, args.token, args.home);
    case "run":
      return runServer(args);
    case "status":
      return showStatus(args.home);
    case "end_builds":
      return endLeftBuilds(args.home, args.isolate);
    case "supervise":
      return supervise(args.home);
    case "end_apps":
      return endApps(args.home);
    case "forget_host":
      return forgetPins(args.host, args.home);
    case "check_policy":
      return checkPolicy(args.path);
    case "version":
      console.log(`gantry-agent ${AGENT_VERSION}, protocol ${PROTOCOL_VERSION}, Node ${process.version}`);
      return exitCodes.ok;
    case "help":
      console.log(USAGE);
      return exitCodes.ok;
    case "wrong":
      return exitWith(`${args.message}\n${USAGE}`, "usage");
  }
}

// Exit explicitly, because kept connections would keep the process alive. No top-level await, so that the bundle
// works as either module format.
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(exitCodes.failed);
  },
);
