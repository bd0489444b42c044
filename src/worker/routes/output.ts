import { outputEndpoints } from "#contract/endpoints/output/endpoints.ts";
import { LEFT_OUT_EVENT } from "#contract/endpoints/output/schemas.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { eventStream } from "#worker/http/streamed.ts";
import type { OutputEvent } from "#worker/following/output/output-follower.ts";
import { followAppOutput, getOutput } from "#worker/operations/output/app-output.ts";
import { eventStreamStart, heartbeat } from "#worker/views/log-views.ts";

export const outputRoutes = forTokens(outputEndpoints, {
  async getOutput(context, { params, query, mediaType, lastEventId }) {
    const id = params.project_id;
    switch (mediaType) {
      case "application/json":
        return await answer(getOutput(context, id, query ?? {}));
      case "text/event-stream": {
        const events = await followAppOutput(context, id, query ?? {}, lastEventId);
        if (!events.ok) return events;
        const { isThere, follow } = events.value;
        return eventStream(context, (signal) => eventTexts(follow(signal)), { isThere });
      }
    }
  },
});

async function* eventTexts(events: AsyncGenerator<OutputEvent>): AsyncGenerator<string> {
  yield eventStreamStart;
  for await (const event of events) yield eventText(event);
}

function eventText(event: OutputEvent): string {
  switch (event.type) {
    case "alive":
      return heartbeat;
    case "output": {
      const { lines, leftOut } = event;
      const gap =
        leftOut === 0 ? "" : `event: ${LEFT_OUT_EVENT}\ndata: ${JSON.stringify({ lines: leftOut })}\n\n`;
      const texts = lines.map(({ line, ...data }) => `id: ${line}\ndata: ${JSON.stringify(data)}\n\n`);
      return gap + texts.join("");
    }
  }
}
