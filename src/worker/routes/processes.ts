import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer } from "#worker/http/responses.ts";
import { applyConfig } from "#worker/operations/processes/apply-config.ts";
import { getProcesses } from "#worker/operations/processes/get-processes.ts";
import { restartProcess } from "#worker/operations/processes/restart-process.ts";
import { setProcessStopped } from "#worker/operations/processes/stop-process.ts";
import { updateProcess } from "#worker/operations/processes/update-process.ts";
import { deploymentLocation } from "#worker/routes/deployments.ts";

export const processHandlers = {
  getProcesses: (context, { params }) => answer(getProcesses(context, params.project_id)),
  updateProcess: (context, { params, body }) =>
    answer(updateProcess(context, params.project_id, params.process, body)),
  restartProcess: (context, { params }) =>
    answer(restartProcess(context, params.project_id, params.process), deploymentLocation),
  stopProcess: (context, { params }) =>
    answer(setProcessStopped(context, params.project_id, params.process, true), deploymentLocation),
  startProcess: (context, { params }) =>
    answer(setProcessStopped(context, params.project_id, params.process, false), deploymentLocation),
  applyConfig: (context, { params }) => answer(applyConfig(context, params.project_id), deploymentLocation),
} satisfies Partial<TokenHandlers>;
