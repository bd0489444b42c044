import type { PasskeyObstacle } from "#dashboard/text/passkey-texts.ts";

/** Says why this page cannot use passkeys, and where they work. */
export function PasskeyNotice({ obstacle }: { readonly obstacle: PasskeyObstacle }) {
  const { text, betterAddress } = obstacle;
  return (
    <div class="notice">
      {text}
      {betterAddress === null ? null : (
        <>
          {" "}
          <a href={betterAddress}>Open {betterAddress.replace(/#.*/, "")}</a>
        </>
      )}
    </div>
  );
}
