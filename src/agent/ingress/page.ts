/** A page that Gantry shows by itself instead of a site. It loads nothing else. */
export function pageOf(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`;
}

/** Escapes a text, so that browsers read no part of it as HTML. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The pages of the ingress, in place of an app that cannot answer. `retrySeconds`: when a program should ask again. */
export const ingressPages = {
  stopped: { status: 503, title: "Stopped", text: "This app has been stopped.", retrySeconds: 300 },
  starting: { status: 503, title: "Starting", text: "This app is about to start.", retrySeconds: 5 },
  down: {
    status: 502,
    title: "No answer",
    text: "This app does not answer at the moment.",
    retrySeconds: 10,
  },
} as const;
export type IngressPage = (typeof ingressPages)[keyof typeof ingressPages];

export const DEFAULT_MAINTENANCE = pageOf(
  "Maintenance",
  "This site is being worked on, and will be back soon.",
);
/** When a program should ask again during maintenance. */
export const MAINTENANCE_RETRY_SECONDS = 60;

/** How long the ingress waits for an instance that accepts a connection, and how long it holds a request at most. */
export const RETRY_SECONDS = 5;
export const PAUSE_SECONDS = 30;
