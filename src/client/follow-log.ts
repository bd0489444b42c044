import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { parseKnown } from "#contract/tolerant.ts";
import type { FollowedLogEvent, LogReading } from "#client/log-event-reader.ts";
import { followLogWith, type FollowLogOptions } from "#client/log-follower.ts";
import type { Transport } from "#client/request.ts";
import { send } from "#client/send.ts";

/** Follows a deployment's log as `followLogWith` does, and checks all of it with the schemas. */
export function followLog(
  transport: Transport,
  deploymentId: DeploymentId,
  options?: FollowLogOptions,
): AsyncGenerator<FollowedLogEvent> {
  const reading: LogReading = {
    endpoint: clientEndpoints.getDeploymentLog,
    line: (value) => {
      const line = parseKnown(LogLine, value);
      return line.success ? line.data : null;
    },
    end: (value) => {
      const end = parseKnown(LogEnd, value);
      return end.success ? end.data : null;
    },
    page: (query) => {
      const request = { params: { deployment_id: deploymentId }, query };
      return send(clientEndpoints.getDeploymentLog, request, transport);
    },
  };
  return followLogWith(reading, transport, deploymentId, options);
}
