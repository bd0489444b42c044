type Props = {
  /** The id of the question in the page. */
  readonly id: string;
  readonly method: string;
  readonly address: string;
  readonly onSend: () => void;
  readonly onCancel: () => void;
};

/** Asks before a request that changes something. */
export function Confirmation({ id, method, address, onSend, onCancel }: Props) {
  return (
    <div class="ask" role="alertdialog" aria-labelledby={id}>
      <p id={id}>
        <b>
          {method} {address}
        </b>{" "}
        changes this installation.
      </p>
      <button type="button" class="primary" ref={focused} onClick={onSend}>
        Send {method}
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}

function focused(button: HTMLButtonElement | null): void {
  button?.focus();
}
