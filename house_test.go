package aforo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The house has arrows that point one way: commands and adapters import the
// limiter, the limiter its stores, the stores the rules, and the root module
// nothing but the standard library.

// source is a file of Go, parsed.
type source struct {
	path string
	file *ast.File
}

// sources are the files under a folder that are not tests.
func sources(t *testing.T, root string, deep bool) (list []source) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (!deep || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		list = append(list, source{path, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (s source) imports() (paths []string) {
	for _, spec := range s.file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, path)
	}
	return paths
}

const module = "github.com/aforo-dev/aforo"

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func TestArrowsPointOneWay(t *testing.T) {
	for folder, own := range map[string][]string{
		".": nil, "trace": nil,
		"storetest": {module}, "httplimit": {module}, "sim": {module},
	} {
		files := sources(t, folder, false)
		if len(files) == 0 {
			t.Errorf("%s has no files", folder)
		}
		for _, s := range files {
			for _, path := range s.imports() {
				if !isStandard(path) && !slices.Contains(own, path) {
					t.Errorf("%s imports %s", s.path, path)
				}
			}
		}
	}
}

func TestRulesArePure(t *testing.T) {
	allowed := []string{"math", "math/bits", "slices", "encoding/binary"}
	for _, name := range []string{"rule.go", "bucket.go", "token_bucket.go", "leaky_bucket.go", "window.go",
		"fixed_window.go", "sliding_window_counter.go", "sliding_window_log.go", "log.go", "divide.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range (source{name, file}).imports() {
			if !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s: a rule has no clock, lock or I/O", name, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "float") {
				t.Errorf("%s: a rule calculates with %s", name, id.Name)
			}
			return true
		})
	}
}

func TestTheRootModuleDependsOnNothing(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "require") {
		t.Errorf("go.mod: %s", data)
	}
}

// TestEveryExportedNameIsDocumented looks through all modules.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t, ".", true) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && !isObvious(d) && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", s.path, d.Name.Name)
				}
			case *ast.GenDecl:
				undocumented(t, s.path, d)
			}
		}
	}
}

// isObvious tells whether a method is known by its name to everybody.
func isObvious(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "Unwrap", "Len", "Less", "Swap", "Read", "Write", "Close", "ServeHTTP"}, d.Name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	kind := d.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	id, ok := kind.(*ast.Ident)
	return ok && id.IsExported()
}

func undocumented(t *testing.T, path string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				t.Errorf("%s: type %s has no comment", path, s.Name.Name)
			}
		case *ast.ValueSpec:
			if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				t.Errorf("%s: %s has no comment", path, s.Names[0].Name)
			}
		}
	}
}
