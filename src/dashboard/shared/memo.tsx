import { Component, type ComponentType } from "preact";

/** Wraps a component so that it re-renders only when one of its props changes. For the rows of long lists. */
export function memo<Props extends object>(Shown: ComponentType<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return isDifferent(this.props, next);
    }

    override render() {
      return <Shown {...this.props} />;
    }
  };
}

function isDifferent(before: object, after: object): boolean {
  const now = new Map(Object.entries(after));
  const then = Object.entries(before);
  return then.length !== now.size || then.some(([name, value]) => !Object.is(value, now.get(name)));
}
