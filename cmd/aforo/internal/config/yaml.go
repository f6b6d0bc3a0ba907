package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize bounds a file, in bytes.
const MaxSize = 1 << 20

// maxDepth bounds how deep a file nests. Ours needs four levels; parsers of
// YAML take time and stack without end for a million.
const maxDepth = 64

// reader collects what is wrong while it reads a file.
type reader struct {
	file     string
	data     []byte
	anchors  map[string]ast.Node
	problems []*Problem
}

// passwords are what an excerpt must not show.
var passwords = regexp.MustCompile(`://[^@\s]*@`)

// wrongAt adds a problem at a line and column.
func (r *reader) wrongAt(line, column int, field, message string) {
	const most = 20 // who reads more than that at once?
	if len(r.problems) < most {
		r.problems = append(r.problems, &Problem{
			File: r.file, Line: line, Column: column, Field: field, Message: message, Excerpt: passwords.ReplaceAllString(lineOf(r.data, line), "://xxxxx@"),
		})
	}
}

// wrong adds a problem where a token stands.
func (r *reader) wrong(t *token.Token, field, format string, args ...any) {
	line, column := 1, 1
	if t != nil && t.Position != nil {
		line, column = max(1, t.Position.Line), max(1, t.Position.Column)
	}
	r.wrongAt(line, column, field, fmt.Sprintf(format, args...))
}

// document is the one document of the file; nil if there is none, or if
// something is wrong.
func (r *reader) document() (root ast.Node) {
	if !r.isText() {
		return nil
	}
	tokens := lexer.Tokenize(string(r.data))
	if t := tooDeep(tokens); t != nil {
		r.wrong(t, "", "this nests deeper than %d levels; four are needed, for example: %s", maxDepth, goodFile)
		return nil
	}
	// Duplicates are found while walking: all of them, and in linear time.
	file, err := parse(tokens)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			r.wrong(syntax.GetToken(), "", "this is not YAML: %s%s", syntax.GetMessage(), tabHint(r.data, syntax.GetToken()))
		} else {
			r.wrongAt(1, 1, "", "this is not YAML: "+err.Error())
		}
		return nil
	}
	for _, doc := range file.Docs {
		if _, directive := doc.Body.(*ast.DirectiveNode); directive || doc.Body == nil {
			continue
		}
		if root != nil {
			r.wrong(doc.Body.GetToken(), "", "a second document begins here; a file holds one")
			return nil
		}
		root = doc.Body
	}
	if root != nil {
		r.findAnchors(root)
	}
	return root
}

// parse keeps a fault of the parser from ending a server that reloads.
func parse(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the parser failed: %v", fault)
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// isText refuses what no editor writes, before YAML makes sense of it.
func (r *reader) isText() bool {
	line, column := 1, 1
	for i := 0; i < len(r.data); {
		c, size := utf8.DecodeRune(r.data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			r.wrongAt(line, column, "", fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8 text", r.data[i]))
			return false
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f:
			r.wrongAt(line, column, "", fmt.Sprintf("byte 0x%02x is not text; is this a YAML file?", c))
			return false
		case c == '\n':
			line, column = line+1, 0
		}
		i, column = i+size, column+1
	}
	return true
}

// tooDeep is the first token beyond maxDepth.
func tooDeep(tokens token.Tokens) *token.Token {
	flow, row, line := 0, 0, 0 // open brackets; nestings in a line, as in - - - a
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.CollectEntryType: // a comma
			row = 0
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType, token.AliasType:
			if t.Position.Line != line {
				row, line = 0, t.Position.Line
			}
			row++
		}
		if flow > maxDepth || row > maxDepth {
			return t
		}
	}
	return nil
}

func tabHint(data []byte, t *token.Token) string {
	if t == nil || t.Position == nil || !bytes.HasPrefix(bytes.TrimLeft([]byte(lineOf(data, t.Position.Line)), " "), []byte("\t")) {
		return ""
	}
	return "; YAML is indented by spaces, not by tabs"
}

// findAnchors notes what each anchor stands for.
func (r *reader) findAnchors(root ast.Node) {
	r.anchors = make(map[string]ast.Node)
	ast.Walk(visitor(func(n ast.Node) {
		if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil && a.Value != nil {
			r.anchors[a.Name.GetToken().Value] = a.Value
		}
	}), root)
}

type visitor func(ast.Node)

func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}

// resolve is the node that an alias stands for, and that an anchor or a tag
// is put before; nil, with a problem added, if there is none.
func (r *reader) resolve(n ast.Node, field string) ast.Node {
	start := n
	for range maxDepth {
		switch node := n.(type) {
		case *ast.AnchorNode:
			n = node.Value
		case *ast.TagNode:
			n = node.Value
		case *ast.AliasNode:
			name := node.Value.GetToken().Value
			if n = r.anchors[name]; n == nil {
				r.wrong(node.GetToken(), field, "alias *%s stands for nothing: there is no &%s", name, name)
				return nil
			}
		default:
			return n
		}
	}
	r.wrong(start.GetToken(), field, "this alias stands for itself")
	return nil
}

// entry is a key and its value in a mapping.
type entry struct {
	key   *token.Token
	name  string
	value ast.Node
}

// entries is a mapping in its order, with what is merged into it at the end.
// It returns false, with a problem added, if the node is no mapping.
func (r *reader) entries(n ast.Node, field, good string) ([]entry, bool) {
	budget := maxMerges
	return r.merged(n, field, good, &budget)
}

// maxMerges bounds how many mappings are merged into one: what merges itself
// has no end, and what merges twice what merges twice has none that one lives
// to see.
const maxMerges = 100

func (r *reader) merged(n ast.Node, field, good string, budget *int) (all []entry, ok bool) {
	place := n
	if n = r.resolve(n, field); n == nil {
		return nil, false
	}
	var values []*ast.MappingValueNode
	switch node := n.(type) {
	case *ast.MappingNode:
		values = node.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{node}
	default:
		r.wrong(place.GetToken(), field, "%s is not a mapping; for example: %s", shown(n), good)
		return nil, false
	}
	seen := make(map[string]*token.Token)
	var merge []ast.Node
	for _, v := range values {
		if _, isMerge := v.Key.(*ast.MergeKeyNode); isMerge {
			merge = append(merge, v.Value)
			continue
		}
		key := r.resolve(v.Key, field)
		if key == nil {
			continue
		}
		e := entry{key: v.Key.GetToken(), name: scalar(key), value: v.Value}
		if first := seen[e.name]; first != nil {
			r.wrong(e.key, field, "%q stands twice, first in line %d; leave one of them out", e.name, first.Position.Line)
			continue
		}
		seen[e.name] = e.key
		all = append(all, e)
	}
	for _, m := range merge {
		if *budget--; *budget < 0 {
			r.wrong(m.GetToken(), field, "this merges itself, or more than %d mappings", maxMerges)
			return nil, false
		}
		more, ok := r.merged(m, field, good, budget)
		if !ok {
			return nil, false
		}
		for _, e := range more {
			if seen[e.name] == nil {
				seen[e.name] = e.key
				all = append(all, e)
			}
		}
	}
	return all, true
}

// scalar is the text of a scalar as it stands in the file, so that 007 does
// not become 7.
func scalar(n ast.Node) string {
	switch node := n.(type) {
	case *ast.LiteralNode:
		return node.Value.Value
	case *ast.NullNode:
		return ""
	}
	return n.GetToken().Value
}

// isScalar tells whether a node is a single value that is there.
func isScalar(n ast.Node) bool {
	_, ok := n.(ast.ScalarNode)
	return ok && n.Type() != ast.NullType
}

// shown is what a message calls a node.
func shown(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.SequenceType:
		return "a list"
	case ast.NullType:
		return "an empty value"
	}
	text := scalar(n)
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("%q", text)
}
