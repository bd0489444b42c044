import type { ReadEvent } from "#contract/endpoints/events/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { eventText } from "#dashboard/pages/events/event-texts.ts";

/** An event as a sentence, with when and by whom. */
export function EventRow({ event }: { readonly event: ReadEvent }) {
  const { subject, route, happened, detail } = eventText(event);
  const name = withHiddenShown(subject);
  const { type, timestamp, data } = event;
  return (
    <li class="record">
      <div class="line">
        <span class="title">
          {route === null ? <strong>{name}</strong> : <a href={pathTo(route)}>{name}</a>} {happened}
          {detail === null || detail === "" ? null : <span class="quiet">: {withHiddenShown(detail)}</span>}
        </span>
        <code class="quiet">{type}</code>
        <span class="quiet when">
          <Ago time={timestamp} /> by {withHiddenShown(data.actor.name)}
        </span>
      </div>
    </li>
  );
}
