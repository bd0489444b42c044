import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { applyConfig } from "#worker/operations/processes/apply-config.ts";
import { getProcesses } from "#worker/operations/processes/read-processes.ts";
import {
  restartProcess,
  setProcessStopped,
  updateProcess,
} from "#worker/operations/processes/change-processes.ts";
import { deploymentLocation } from "#worker/routes/deployments.ts";

export const processRoutes = forTokens(processEndpoints, {
  getProcesses: (context, { params, query }) => answer(getProcesses(context, params.project_id, query ?? {})),
  updateProcess: (context, { params, body }) =>
    answer(updateProcess(context, params.project_id, params.process, body)),
  restartProcess: (context, { params, body }) =>
    answer(restartProcess(context, params.project_id, params.process, body), deploymentLocation),
  stopProcess: (context, { params, body }) =>
    answer(setProcessStopped(context, params.project_id, params.process, true, body), deploymentLocation),
  startProcess: (context, { params, body }) =>
    answer(setProcessStopped(context, params.project_id, params.process, false, body), deploymentLocation),
  applyConfig: (context, { params, body }) =>
    answer(applyConfig(context, params.project_id, body), deploymentLocation),
});
