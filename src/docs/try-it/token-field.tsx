/** The field for a token. `token`: the pasted one; null: none, so that the dashboard's is used, if the reader is signed in. */
export function TokenField({
  token,
  isSignedIn,
  onPaste,
}: {
  readonly token: string | null;
  readonly isSignedIn: boolean;
  readonly onPaste: (token: string) => void;
}) {
  return (
    <label>
      <span>Token</span>
      <input
        type="password"
        autocomplete="off"
        placeholder={isSignedIn ? "of your dashboard session" : "gantry_…"}
        value={token ?? ""}
        onInput={({ currentTarget }) => onPaste(currentTarget.value)}
      />
      <small>
        {isSignedIn
          ? "You are signed in to the dashboard. Paste another token to use it on this page instead."
          : "Kept in the memory of this page only."}
      </small>
    </label>
  );
}
