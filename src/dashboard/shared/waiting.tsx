/** Says what is waited for, once that has taken longer than a moment (the style sheet knows how long that is). */
export function Waiting({ what }: { readonly what: string }) {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      {what}…
    </p>
  );
}
