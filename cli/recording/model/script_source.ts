// The text that makes a modelled page ask: a small runtime that stands at the head of each document, and the lists of
// requests that scripts, inline scripts and elements' handlers give to it. Makes text; pads nothing.
//
// What is to be requested before the load event keeps it back until it is requested: else a page whose computation is a
// timer would be loaded before its scripts had run. An empty frame that is still being written does that, without a request;
// it is made while the page waits for the network, since making it takes 15 ms and opening it again none.
import type { Compute } from "./compute_option.ts";
import type { Kind } from "./model_request.ts";

// A stylesheet that makes a browser ask for its fonts, pictures and stylesheets as it does live: by @import at once, by rules
// when an element that they fit is laid out. Each rule fits one element, which the page's document has. Makes text.

export interface StyledRequest {
  readonly url: string;
  readonly kind: "font" | "image" | "stylesheet";
  /** The class of the rule's element. */
  readonly name: string;
  /** Of a picture. Chromium asks with high priority for the background of a box in sight, but not of a piece of a line. */
  readonly isOutOfSight: boolean;
}

const quoted = (url: string): string => `"${url.replaceAll(/["\\\n]/g, (mark) => `\\${mark}`)}"`;

/** `base`: the stylesheet's URL. */
export function stylesheetSource(requests: readonly StyledRequest[], base: string): string {
  const rule = ({ url, kind, name, isOutOfSight }: StyledRequest): string => {
    const named = `url(${quoted(shortUrl(url, base))})`;
    if (kind === "font") return `@font-face{font-family:${name};src:${named}}.${name}{font-family:${name}}`;
    if (kind === "stylesheet") return `@import ${named};`;
    return `.${name}{${isOutOfSight ? "" : "display:inline-block;"}background:${named}}`;
  };
  // Where imports come after rules they are ignored.
  const imports = requests.filter(({ kind }) => kind === "stylesheet");
  const others = requests.filter(({ kind }) => kind !== "stylesheet");
  return [...imports, ...others].map(rule).join("\n");
}

/** The elements that the rules fit. */
export function styledElements(requests: readonly StyledRequest[]): string {
  return requests
    .filter(({ kind }) => kind !== "stylesheet")
    .map(({ name }) => `<i class=${name}>a</i>`)
    .join("");
}

/** One request that a script makes, or, without a URL, only the computation that goes before the load event. */
export interface Action {
  readonly kind: Kind | "nothing";
  readonly wait_ms: number;
  readonly url: string;
  readonly options: AskOptions;
  /** What follows when it has come. */
  readonly next: readonly Action[];
}

export interface AskOptions {
  /** CORS: without credentials, or with. */
  readonly cors?: "anonymous" | "use-credentials";
  readonly method?: string;
  readonly body?: Buffer;
  /** A header that makes a browser send a preflight first. */
  readonly preflighted?: boolean;
  /** Of data: not by CORS. */
  readonly opaque?: boolean;
  /** It was requested before: not from a cache. */
  readonly again?: boolean;
  /** Of data, how long the load event waits for them at most: no longer than it came after them when recorded. */
  readonly holds_ms?: number;
}

/** The load event waits no longer for one request than this. */
export const longestHold_ms = 10_000;

const letters: Record<Action["kind"], string> = {
  script: "s",
  stylesheet: "c",
  image: "i",
  document: "f",
  data: "x",
  font: "x",
  preflight: "x",
  beacon: "b",
  nothing: "w",
};

// [letter, wait, url, then, options], what is at the end and empty left out. Names are short: they are in each document.
const runtimeStart = `(()=>{let D=document,n=0,F,make=()=>{F||(F=D.createElement("iframe"),F.style.display="none",D.documentElement.append(F))},hold=()=>{n++||"complete"==D.readyState||(make(),F.contentDocument.open())},free=()=>{--n||!F||F.contentDocument.close()},ask=([k,,u,K,o={}])=>{let e,then=()=>{K&&K[0]&&t(K)},b=o.d?Uint8Array.from(atob(o.d),c=>c.charCodeAt()):void 0,f=()=>fetch(u,{method:o.m||(b?"POST":"GET"),mode:o.n?"no-cors":"cors",credentials:o.x==2||o.n?"include":"same-origin",cache:o.r?"no-store":"default",headers:o.h?{"x-trilane":"1"}:{},body:b}).then(r=>r.arrayBuffer()).catch(()=>{});if(k=="x"){let q=()=>{q=()=>{};free()};hold();o.w?setTimeout(()=>q(),o.w):K&&K[0]||q();f().then(()=>{then();q()})}else if(k=="b"){o.n=1;o.m="POST";navigator.sendBeacon(u,b)||f()}else if(k=="w")then();else{e=D.createElement({s:"script",c:"link",i:"img",f:"iframe"}[k]);e.onload=e.onerror=then;o.x&&(e.crossOrigin=o.x==2?"use-credentials":"anonymous");k=="c"&&(e.rel="stylesheet");e[k=="c"?"href":"src"]=u;k=="i"||((k=="f"&&D.body)||D.head).append(e)}};`;
const byTimers = "t=L=>{for(let a of L){hold();let f=()=>{ask(a);free()};a[1]?setTimeout(f,a[1]):f()}};";
const byWork = "t=L=>{for(let a of L){for(let e=performance.now()+a[1];performance.now()<e;);ask(a)}};";
// What rules ask for has no element whose handler could go on: Resource Timing says when it has come.
const runtimeEnd = `setTimeout(make);o=(u,L)=>{hold();let q=()=>{q=()=>{};t(L);free()},p=new PerformanceObserver(l=>l.getEntries().some(e=>e.name.replace(/^https?/,"")==u)&&q());p.observe({type:"resource",buffered:!0});setTimeout(()=>q(),${longestHold_ms})};l=L=>addEventListener("load",()=>setTimeout(t,0,L))})()`;

/** Defines t(list), o(url, list) for once that URL has come and, for what comes after the load event, l(list). */
export function runtime(compute: Compute): string {
  return `${runtimeStart}${compute === "busy" ? byWork : byTimers}${runtimeEnd}`;
}

/** As short as a document at `base` can name it. */
export function shortUrl(url: string, base: string): string {
  if (!URL.canParse(base) || !URL.canParse(url)) return url;
  const { origin, pathname, search } = new URL(url);
  if (origin !== new URL(base).origin) return url;
  const path = `${pathname}${search}`;
  // Two slashes begin a host. What would be read as anything else stays whole.
  return !path.startsWith("//") && new URL(path, base).href === url ? path : url;
}

type Written = readonly unknown[];

function written({ kind, wait_ms, url, options, next }: Action, base: string): Written {
  const { cors, method, body, preflighted, opaque, again, holds_ms } = options;
  const given = {
    ...(cors === "use-credentials" ? { x: 2 } : cors && letters[kind] !== "x" ? { x: 1 } : {}),
    ...(method !== undefined && method !== "GET" && !(method === "POST" && body) ? { m: method } : {}),
    ...(body ? { d: body.toString("base64") } : {}),
    ...(preflighted ? { h: 1 } : {}),
    ...(opaque ? { n: 1 } : {}),
    ...(again ? { r: 1 } : {}),
    ...(holds_ms ? { w: holds_ms } : {}),
  };
  const hasOptions = Object.keys(given).length > 0;
  const after = next.map((action) => written(action, base));
  const short = kind === "nothing" ? "" : shortUrl(url, base);
  return [
    ...[letters[kind], wait_ms, short],
    ...(after.length > 0 || hasOptions ? [after] : []),
    ...(hasOptions ? [given] : []),
  ];
}

/** A list of actions as JavaScript that no end tag and no handler's quotes end. `base`: of the document that runs it. */
export function listSource(actions: readonly Action[], base: string): string {
  const text = JSON.stringify(actions.map((action) => written(action, base)));
  return text.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

export const callSource = (actions: readonly Action[], base: string): string => `t(${listSource(actions, base)});`;

/** Starts the list when what a rule asks for has come. */
export const watchSource = (url: string, actions: readonly Action[], base: string): string =>
  `o(${JSON.stringify(url.replace(/^https?/, "")).replaceAll("<", "\\u003c")},${listSource(actions, base)});`;
