// What was found where two parts were compared. Parts that several operations share are compared once.
import { unescapeToken } from "../openapi/tools.ts";
import {
  type Direction,
  describeField,
  isPastSunset,
  isSame,
  type Rating,
  type Relation,
  rate,
  rateField,
} from "./keywords.ts";

/** A change of a part. */
export interface Finding {
  readonly rating: Rating;
  /** The field or keyword that changed, or what became of a part. */
  readonly rule: string;
  readonly direction: Direction;
  /** The JSON pointers in both documents: of the part, or of what had it. */
  readonly old: string;
  readonly new: string;
  /** A sentence that follows the name of the part. */
  readonly text: string;
}

/** The places of two parts. */
export interface Places {
  readonly old: string;
  readonly new: string;
}

/** A named part of another one, such as a property or parameter. */
export interface Member {
  readonly name?: string | undefined;
  readonly pointer: string;
  /** The part that it is or refers to, if that is elsewhere. */
  readonly target?: string;
  readonly isRequired?: boolean;
  readonly value?: unknown;
  /** Why it is no part in this direction. */
  readonly marker?: string | undefined;
}

/** Two parts that were compared: what was found, and the parts in them. */
export class Step {
  readonly findings: Finding[] = [];
  readonly next: Step[] = [];
  readonly direction: Direction;
  /** An ISO 8601 date. */
  readonly today: string;

  constructor(direction: Direction, today: string) {
    this.direction = direction;
    this.today = today;
  }

  /** Adds the comparison of parts of these parts, in which another direction can hold. */
  below(direction = this.direction): Step {
    const step = new Step(direction, this.today);
    this.next.push(step);
    return step;
  }

  add(rating: Rating, rule: string, { old, new: revised }: Places, text: string): void {
    this.findings.push({ rating, rule, direction: this.direction, old, new: revised, text });
  }

  /** Adds a change of the allowed values. */
  relate(relation: Relation, rule: string, places: Places, text: string): void {
    if (relation === undefined) return;
    if (this.direction === "unrated") this.addUnrated(rule, places, text);
    else this.add(rate(relation, this.direction), rule, places, text);
  }

  /** Adds a change that no rule rates. */
  addUnrated(rule: string, places: Places, text: string): void {
    this.add("breaking", rule, places, `${text} No rule rates this change as compatible.`);
  }

  /** Compares a field that has no parts of its own. */
  compareField(name: string, before: unknown, after: unknown, places: Places): void {
    if (isSame(before, after)) return;
    const rating = rateField(name, before, after, this.direction, this.today);
    const text = describeField(name, before, after);
    if (rating === undefined) this.addUnrated(name, places, text);
    else this.add(rating, name, places, text);
  }

  /** Compares the fields of two parts, except those that are compared otherwise. */
  compareFields(before: unknown, after: unknown, places: Places, others: RegExp): void {
    const [one, other] = [Object(before), Object(after)];
    const below = (pointer: string, name: string, value: unknown) =>
      value === undefined ? pointer : `${pointer}/${name}`;
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
      if (!others.test(name))
        this.compareField(name, one[name], other[name], {
          old: below(places.old, name, one[name]),
          new: below(places.new, name, other[name]),
        });
  }

  /**
   * Compares named parts. Callers need not send what is new and optional, and rely on what a response has. `isClosed` tells that
   * they reject responses with others. Returns the parts that both have.
   */
  compareMembers<M extends Member>(
    kind: string,
    before: ReadonlyMap<string, M>,
    after: ReadonlyMap<string, M>,
    places: Places,
    isClosed = false,
  ): [M, M][] {
    const { direction, today } = this;
    for (const [name, member] of before)
      if (!after.has(name) && !member.marker) {
        const rating = isPastSunset(member.value, today) && direction !== "unrated" ? "compatible" : "breaking";
        this.add(rating, `${kind}-removed`, { ...places, old: member.pointer }, "Removed.");
      }
    const common: [M, M][] = [];
    for (const [name, member] of after) {
      const own = before.get(name);
      if (own && !(own.marker && member.marker)) common.push([own, member]);
      if (own || member.marker) continue;
      const isRequired = member.isRequired && direction !== "response";
      const rating = isRequired || isClosed || direction === "unrated" ? "breaking" : "compatible";
      this.add(
        rating,
        `${kind}-added`,
        { ...places, new: member.pointer },
        isRequired ? "Added, and required." : isClosed ? "Added. Other fields were not allowed." : "Added.",
      );
    }
    return common.filter(([one, other]) => {
      const own = { old: one.target ?? one.pointer, new: other.target ?? other.pointer };
      const marker = other.marker ?? one.marker;
      // It was made a part of this direction, or is none any more.
      const isLost = other.marker || (other.isRequired && direction === "request");
      if (marker)
        this.add(
          isLost ? "breaking" : "compatible",
          marker,
          own,
          describeField(marker, one.marker && true, other.marker && true),
        );
      else if (one.isRequired !== other.isRequired)
        this.relate(
          other.isRequired ? "narrower" : "wider",
          `${kind}-required`,
          own,
          other.isRequired ? "It became required." : "It is no longer required.",
        );
      return !marker;
    });
  }
}

/** Returns the last token of a pointer. */
export function nameOf(pointer: string): string {
  return unescapeToken(pointer.slice(pointer.lastIndexOf("/") + 1));
}
