import { prose } from "#contract/reference/prose.ts";

export type GuideSection = { readonly id: string; readonly title: string; readonly text: string };

/** What holds for every operation. The first section has no title of its own: it opens the reference. */
export const introduction = prose`
  Deploy git repositories to your own servers. A **project** is an application, a **server** is a host of yours with an
  agent on it, a **deployment** is one run that publishes a project's code. Requests and answers are JSON in UTF-8.`;

export const guide: readonly GuideSection[] = [
  {
    id: "authentication",
    title: "Authentication",
    text: prose`
      Every request carries \`Authorization: Bearer <token>\`. A token belongs to one account, has scopes, ends after
      366 days at most, and can be limited to some projects; whatever it may not see looks as if it were not there. To
      \`write\` is to \`read\`, too. The first token is made by \`npm run token\`, all others by
      \`POST /v1/tokens\`.

      Without a token, or with a wrong one, the answer is 401 and names what is missing in \`WWW-Authenticate\`; with
      one that lacks the scope it is 403. Over plain HTTP every request of the API is refused (403 \`https_required\`), but
      for one on the machine itself.`,
  },
  {
    id: "problems",
    title: "Problems",
    text: prose`
      Every refusal is a problem (RFC 9457): \`application/problem+json\` with a \`code\` for programs and a \`detail\`
      for people. \`type\` is the address of [the page about its code](/docs/problems). A request that was refused has
      changed nothing. Every answer has a request id in \`X-Request-Id\`, by which whoever runs this Gantry finds it.

      Unknown fields and parameters are refused, so that a misspelt \`brnach\` never deploys the wrong thing.
      Text must be well-formed Unicode: half of a surrogate pair, such as \`"\\ud800"\` in JSON, is 422 in every field.
      Any path answers 405 to a method that it does not have, and \`Allow\` names those that it has.`,
  },
  {
    id: "lists",
    title: "Lists",
    text: prose`
      Lists come newest first, in pages of \`limit\` rows. \`next_cursor\`, or the header \`Link\`, leads to the next
      page. Whatever is added or deleted meanwhile, no row comes twice and none is left out. A cursor is opaque, and
      belongs to the list that gave it.`,
  },
  {
    id: "retries",
    title: "Retries",
    text: prose`
      Requests that make something take an \`Idempotency-Key\`: sent again within 24 hours, with the same key and body,
      they get the same answer with \`Idempotent-Replayed: true\`, and nothing is made twice. Every other request can
      be sent again as it is.

      429 and 503 say in \`Retry-After\` how many seconds to wait. \`RateLimit-Policy\` tells how many requests a token
      has: \`"default";q=600;w=60\` is 600 in 60 seconds.`,
  },
  {
    id: "freshness",
    title: "Fresh reads",
    text: prose`
      Reads are answered by a copy of the database that is near, which can be a moment behind. Answers carry a
      \`Gantry-Bookmark\`: a request that sends it back sees at least what that answer saw, so a client reads its own
      writes. Each GET has an \`ETag\`; with \`If-None-Match\` an answer that has not changed is an empty 304.`,
  },
  {
    id: "versions",
    title: "Versions",
    text: prose`
      The version is part of the path. Fields, parameters, problem codes and operations can be added to \`/v1\` at any
      time, so pass over what you do not know. Nothing is removed without \`Deprecation\` and \`Sunset\` headers at
      least 12 months ahead.

      Times are ISO 8601 in UTC, durations are in seconds. Any web page may call the interface: it uses no cookies, and
      a token is needed all the same.`,
  },
];
