import { Appearance } from "#contract/appearance.ts";
import { appearance, setAppearance } from "#dashboard/data/appearance.ts";
import { useSignal } from "#dashboard/data/signal.ts";

const labels: Readonly<Record<Appearance, string>> = {
  system: "Colors of the system",
  light: "Light colors",
  dark: "Dark colors",
};

/** A choice of light or dark colors for this browser. */
export function AppearanceChoice() {
  return (
    <select
      class="appearance"
      aria-label="Colors"
      value={useSignal(appearance)}
      onChange={(event) => setAppearance(Appearance.safeParse(event.currentTarget.value).data ?? "system")}
    >
      {Appearance.options.map((option) => (
        <option key={option} value={option}>
          {labels[option]}
        </option>
      ))}
    </select>
  );
}
