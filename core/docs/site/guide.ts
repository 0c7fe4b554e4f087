/**
 * The pages of the guide, read from `core/docs/guide` when the process starts. The README of that folder is the home
 * page; its groups of links are the navigation, so a page that it does not list is not served.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The source: Markdown files are not copied to the compiled files. */
const folder = new URL('../../../../core/docs/guide/', import.meta.url);

export interface GuidePage {
  /** The last part of the address. Empty: the home page. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Markdown, as in the file. */
  readonly source: string;
}

export interface GuideGroup {
  readonly title: string;
  readonly pages: readonly GuidePage[];
}

export interface Guide {
  readonly home: GuidePage;
  readonly groups: readonly GuideGroup[];
  /** In the order of the navigation. */
  readonly pages: readonly GuidePage[];
  /** The drawings of the pages, by file name. */
  readonly images: ReadonlyMap<string, string>;
}

export function readGuide(): Guide {
  const source = readText('README.md');
  const groups = source.split(/^## /m).slice(1).flatMap(readGroup);
  const images = readdirSync(new URL('images/', folder)).map((name) => [name, readText(`images/${name}`)] as const);
  const [, title = ''] = /^# (.+)$/m.exec(source) ?? [];
  return {
    home: { slug: '', title, description: '', source },
    groups,
    pages: groups.flatMap(({ pages }) => pages),
    images: new Map(images),
  };
}

/** A group is a heading with a list of links to pages. Other sections of the home page have no such list. */
function readGroup(text: string): GuideGroup[] {
  const [title = ''] = text.split('\n');
  const links = [...text.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\): (.+)$/gm)];
  const pages = links.map(([, linked = '', slug = '', description = '']) => {
    return { slug, title: linked, description, source: readText(`${slug}.md`) };
  });
  return pages.length > 0 ? [{ title, pages }] : [];
}

function readText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
