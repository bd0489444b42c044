/** A loading message. The style sheet shows it only after a short delay. */
export function Waiting({ what }: { readonly what: string }) {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}…
    </p>
  );
}
