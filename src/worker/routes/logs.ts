import { succeed } from "#contract/problems.ts";
import { answerPage } from "#worker/http/answers.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { getDeploymentLog, getDeploymentLogText } from "#worker/operations/get-deployment-log.ts";

export const logHandlers = {
  async getDeploymentLog(context, { params, query, mediaType, url }) {
    switch (mediaType) {
      case "application/json":
        return answerPage(getDeploymentLog(context, params.deployment_id, query), url);
      case "text/plain": {
        const text = await getDeploymentLogText(context, params.deployment_id);
        if (!text.ok) return text;
        const headers = { "content-type": "text/plain; charset=utf-8", vary: "accept" };
        return succeed({ response: new Response(text.value, { headers }) });
      }
    }
  },
} satisfies Partial<TokenHandlers>;
