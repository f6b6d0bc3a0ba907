package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"
)

// storyPath is where the stories stand: each a page in two languages, and its
// picture.
const storyPath = "/stories/"

// words are the texts of a language, by their keys.
type words map[string]string

// stories are the pages of the stories, made when they are first asked for.
type stories struct {
	words map[string]words // by language
	made  map[string]func() *file
}

func newStories() (stories, error) {
	s := stories{words: make(map[string]words), made: make(map[string]func() *file)}
	for _, lang := range []string{"en", "es"} {
		data, err := static.ReadFile("static/" + lang + ".json")
		if err != nil {
			return s, err
		}
		var w words
		if err := json.Unmarshal(data, &w); err != nil {
			return s, fmt.Errorf("%s.json: %w", lang, err)
		}
		s.words[lang] = w
		for _, story := range Stories {
			s.made[story.Name+" "+lang] = sync.OnceValue(func() *file { return newFile("story.html", storyPage(story, lang, w)) })
		}
	}
	for _, story := range Stories {
		s.made[story.Name+".svg"] = sync.OnceValue(func() *file {
			data, _ := picture(story.Scenes[0].Request) // a test draws them all
			return newFile("story.svg", data)
		})
	}
	return s, nil
}

func (s *stories) has(name string) bool { return s.file(name, "en") != nil }

// file is a picture, or a page in a language; nil if there is none.
func (s *stories) file(name, lang string) *file {
	one := s.made[name]
	if one == nil {
		one = s.made[name+" "+lang]
	}
	if one == nil || strings.Contains(name, " ") {
		return nil
	}
	return one()
}

var storyTemplate = template.Must(template.New("story").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} · Aforo</title>
<meta name="description" content="{{.Text}}">
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app/style.css">
</head>
<body>
<header><a class="brand" href="/?lang={{.Lang}}">Aforo</a>
<nav><a href="/?lang={{.Lang}}#play">{{.Play}}</a><a href="/?lang={{.Lang}}#stories" aria-current="page">{{.Stories}}</a></nav>
<a href="?lang={{.Other}}" hreflang="{{.Other}}" lang="{{.Other}}">{{.OtherName}}</a></header>
<main><article>
<h1>{{.Title}}</h1>
<p class="lead">{{.Text}}</p>
<p><img src="/stories/{{.Name}}.svg" alt="{{.Alt}}" width="720"></p>
{{range .More}}<p class="lead">{{.}}</p>
{{end}}<p><a href="/?lang={{.Lang}}#story/{{.Name}}">{{.Open}}</a></p>
</article></main>
</body>
</html>
`))

// storyPage is a story to read.
func storyPage(story Story, lang string, w words) []byte {
	other := map[string]string{"en": "es", "es": "en"}[lang]
	var b bytes.Buffer
	_ = storyTemplate.Execute(&b, map[string]any{ // to memory, and a test reads them all
		"Lang": lang, "Other": other, "OtherName": w["lang.other"], "Name": story.Name,
		"Title": w["story."+story.Name+".title"], "Text": w["story."+story.Name+".text"], "Alt": w["story."+story.Name+".alt"],
		"More": strings.Split(w["story."+story.Name+".more"], "\n"), "Open": w["story.open"], "Play": w["nav.play"], "Stories": w["nav.stories"],
	})
	return b.Bytes()
}
