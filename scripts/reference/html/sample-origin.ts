import { Html, html } from "./escape.ts";

/** The host and the address of the installation in examples. */
const SAMPLE_HOST = "gantry.example.com";
export const SAMPLE_ORIGIN = `https://${SAMPLE_HOST}`;

const NAMED = /(https:\/\/)?(?<![\w.@-])gantry\.example\.com(?![\w.-]*\w)/g;

/**
 * Puts the example's address into elements wherever the text of a page names it, so that the page's script can replace
 * it with the installation's address (src/docs/origin.ts).
 */
export function markOrigins({ text }: Html): Html {
  return new Html(
    text.replace(/>[^<]+/g, (inText) =>
      inText.replace(NAMED, (named, scheme: string | undefined) =>
        scheme === undefined
          ? html`<span class="origin-host">${named}</span>`.text
          : html`<span class="origin">${named}</span>`.text,
      ),
    ),
  );
}
