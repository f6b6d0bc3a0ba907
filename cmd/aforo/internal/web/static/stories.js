// The eight stories: a list of them, and one opened in the playground.
import { fromRequest } from './state.js';

const $ = (id) => document.getElementById(id);

export class Stories {
  constructor(stories, playground, t, lang) {
    Object.assign(this, { stories, playground, t, lang });
    $('stories').replaceChildren(...stories.map((story) => this.card(story)));
  }

  card(story) {
    const card = document.createElement('article');
    const heading = document.createElement('h2');
    const link = Object.assign(document.createElement('a'), { href: '#story/' + story.name, textContent: this.t(`story.${story.name}.title`) });
    heading.append(link);
    const picture = Object.assign(document.createElement('img'), { src: `/stories/${story.name}.svg`, alt: '', loading: 'lazy', width: 720, height: 360 });
    const text = Object.assign(document.createElement('p'), { textContent: this.t(`story.${story.name}.text`) });
    const read = Object.assign(document.createElement('a'), { href: this.page(story), textContent: this.t('story.read') });
    card.append(heading, picture, text, read);
    return card;
  }

  page(story) {
    return `/stories/${story.name}?lang=${this.lang}`;
  }

  // open shows a story above the lanes; false if there is none of that name.
  open(name) {
    const story = this.stories.find((s) => s.name === name);
    $('story').hidden = !story;
    if (!story) return false;
    $('story-title').textContent = this.t(`story.${name}.title`);
    $('story-text').textContent = this.t(`story.${name}.text`);
    $('story-read').href = this.page(story);
    $('story-scenes').replaceChildren(...story.scenes.map((scene, i) => this.button(story, scene, i)));
    this.scene(story, 0);
    return true;
  }

  button(story, scene, i) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: this.t(`story.${story.name}.${scene.name}`) });
    button.addEventListener('click', () => this.scene(story, i));
    return button;
  }

  scene(story, i) {
    [...$('story-scenes').children].forEach((b, n) => b.setAttribute('aria-pressed', n === i));
    const { request, from_us: from } = story.scenes[i];
    this.playground.set(fromRequest(request, from), true);
  }

  close() {
    $('story').hidden = true;
  }
}
