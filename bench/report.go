package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// render writes the page and its pictures from a file of results.
func (o options) render(stdout io.Writer) error {
	from := o.from
	if from == "" {
		// File names begin with the date.
		files, _ := filepath.Glob(filepath.Join("results", "*.json"))
		if len(files) == 0 {
			return errors.New("there are no results to render; measure first, or name a file by -from")
		}
		from = slices.Max(files)
	}
	r, err := loadResults(from)
	if err != nil {
		return err
	}
	for path, text := range rendered(r, o.page, filepath.Base(from)) {
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(stdout, path)
	}
	return nil
}

// rendered is what to write where. The pictures have the page's name before
// their own.
func rendered(r *Results, page, source string) map[string]string {
	base := strings.TrimSuffix(filepath.Base(page), filepath.Ext(page))
	picture := func(name string) string { return strings.ToLower(base) + "-" + name + ".svg" }
	large, curve := chartLarge(r), chartCurve(r)
	pictures := map[string]string{}
	if large != "" {
		pictures["uniform"] = picture("large")
	}
	if curve != "" {
		pictures["curve"] = picture("curve")
	}
	beside := func(name string) string { return filepath.Join(filepath.Dir(page), name) }
	return map[string]string{
		page:                     pageOf(r, pictures, source),
		beside(picture("large")): large,
		beside(picture("curve")): curve,
	}
}
