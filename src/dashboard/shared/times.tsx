import { useNow } from "#dashboard/data/clock.ts";
import { agoText, dateText, durationText } from "#dashboard/text/times.ts";

/** How long ago something was, with the whole date on it. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow();
  return (
    <time dateTime={time} title={dateText(time)}>
      {agoText(time, now)}
    </time>
  );
}

const HOUR_MS = 60 * 60 * 1000;

/** In which hour something was, where only that is known. @param time the hour's beginning */
export function AgoByHour({ time }: { readonly time: string }) {
  const now = useNow();
  return now - Date.parse(time) < HOUR_MS ? <>within the hour</> : <Ago time={time} />;
}

type ForProps = {
  /** In seconds, as it was when it was told. */
  readonly seconds: number;
  /** Since when it has been growing; null: it has ended. */
  readonly runningSince: string | null;
};

/** How long something took, or has taken by now. */
export function Duration({ seconds, runningSince }: ForProps) {
  return <>{runningSince === null ? durationText(seconds) : <Growing since={runningSince} />}</>;
}

function Growing({ since }: { readonly since: string }) {
  const now = useNow();
  return <>{durationText(Math.max(0, (now - Date.parse(since)) / 1000))}</>;
}
