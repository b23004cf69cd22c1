// Prints the protobuf schema of the API types of Kubernetes, for informer/protobuf (`make schema`):
//
//	cd tests/kube && go run ./schema >../../informer/protobuf/schema.txt
//
// The first line is the version of Kubernetes, and lines that begin with # explain the format. `go run ./schema objects`
// prints random objects of all types: see objects.go.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const format = `# The API types of Kubernetes: numbers of protobuf fields and names of JSON members. Written by "make schema".
# "= PACKAGE APIVERSION" begins the messages of a package. A message is a line: its name, "+" if it is a kind, and its
# fields in the order of JSON, each as NAME=NUMBER[*|[]|{}]TYPE[!|?|@]. A field without a name is an inlined struct.
#   *  pointer    []  list    {}  map with string keys    otherwise a value
#   s  string   b  bool   i  int32   l  int64   y  bytes   q  Quantity   t  Time   u  MicroTime   x  IntOrString   r  raw JSON
#   !  written when it is empty   ?  omitted when it is zero   @  object with its kind and apiVersion
# A struct that is a value is written always, other fields unless they are empty. "NAME+ >MESSAGE" is a kind with the fields of
# another message, "NAME []s" a named list.
`

// Types whose JSON form differs from their fields.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       "t",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  "u",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":   "r",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "q",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "x",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "r",
}

// Fields to which the apiserver adds the kind and the apiVersion when it converts the object, because protobuf has
// neither (pkg/apis/apps/*/conversion.go).
var typed = map[string]bool{"StatefulSetSpec.volumeClaimTemplates": true}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if len(os.Args) > 1 && os.Args[1] == "objects" {
		objects(out, os.Args[2:])
		return
	}
	fmt.Fprintf(out, "kubernetes %s\n%s", version(), format)
	all := newMessages()
	for kind, t := range kinds() {
		all.describe(t)
		all.kinds[kind] = t
	}
	all.print(out)
}

// The version in go.mod of this module.
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			if module.Replace != nil {
				module = module.Replace
			}
			return "1" + strings.TrimPrefix(module.Version, "v0")
		}
	}
	return "unknown"
}

// The types of client-go, the APIService, and those of metadata.
func allTypes() *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiregistration.AddToScheme, meta.AddMetaToScheme} {
		if err := add(all); err != nil {
			fail("%v", err)
		}
	}
	all.AddKnownTypes(meta.SchemeGroupVersion, &meta.DeleteOptions{})
	return all
}

// The kinds of the package meta that are bodies.
var metaKinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Status"},
	meta.SchemeGroupVersion.WithKind("PartialObjectMetadata"),
	meta.SchemeGroupVersion.WithKind("DeleteOptions"),
}

// All kinds with a protobuf form other than lists, by group, version and kind.
func kinds() map[schema.GroupVersionKind]reflect.Type {
	found := map[schema.GroupVersionKind]reflect.Type{}
	for kind, t := range allTypes().AllKnownTypes() {
		if kind.Version == "__internal" || !isMessage(t) || isList(t) {
			continue
		}
		// Options of requests and events of watches are registered in each group, but have one type.
		if t.PkgPath() != reflect.TypeFor[meta.Status]().PkgPath() || slices.Contains(metaKinds, kind) {
			found[kind] = t
		}
	}
	return found
}

func isMessage(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return ok && t.Kind() == reflect.Struct
}

func isList(t reflect.Type) bool {
	items, ok := t.FieldByName("Items")
	return ok && strings.HasSuffix(t.Name(), "List") && items.Type.Kind() == reflect.Slice
}

type field struct {
	name, prefix, code, suffix string
	number                     int
	// The message, if the type is one.
	of reflect.Type
}

type messages struct {
	fields map[reflect.Type][]field
	lists  map[reflect.Type]string
	kinds  map[schema.GroupVersionKind]reflect.Type
	// The type that stands for all of its group that have the same name and the same fields.
	same map[reflect.Type]reflect.Type
}

func newMessages() *messages {
	return &messages{
		map[reflect.Type][]field{}, map[reflect.Type]string{}, map[schema.GroupVersionKind]reflect.Type{},
		map[reflect.Type]reflect.Type{},
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "error: "+format+"\n", args...)
	os.Exit(1)
}

func (m *messages) describe(t reflect.Type) {
	if _, known := m.fields[t]; known {
		return
	}
	m.fields[t] = nil
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if len(tag) < 2 {
			if f.Type != reflect.TypeFor[meta.TypeMeta]() && name != "-" {
				fmt.Fprintf(os.Stderr, "warning: %s.%s is not in protobuf\n", t, f.Name)
			}
			continue
		}
		number, err := strconv.Atoi(tag[1])
		if err != nil || number < 1 || number > 255 {
			fail("%s.%s has the protobuf tag %q", t, f.Name, tag)
		}
		of := field{number: number, name: name}
		empty, zero := strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero")
		of.prefix, of.code, of.of = m.code(f.Type)
		switch {
		case name == "-":
			fmt.Fprintf(os.Stderr, "warning: %s.%s is not in JSON\n", t, f.Name)
			continue
		case name == "" && f.Anonymous && of.of != nil && of.prefix == "":
			// Inlined.
		case name == "":
			of.name = f.Name
			fallthrough
		default:
			isStruct := of.prefix == "" && (of.of != nil || strings.Contains("qtuxr", of.code))
			switch {
			case zero && !(isStruct && of.code == "t"):
				fail("%s.%s has omitzero, which is supported for times only", t, f.Name)
			case zero:
				of.suffix = "?"
			case !empty && !isStruct:
				of.suffix = "!"
			}
			if typed[t.Name()+"."+name] {
				of.suffix += "@"
			}
		}
		fields = append(fields, of)
	}
	m.fields[t] = fields
	names := map[string]bool{}
	for _, name := range m.names(t) {
		if names[name] {
			fail("%s has the JSON member %s twice", t, name)
		}
		names[name] = true
	}
}

func (m *messages) names(t reflect.Type) (names []string) {
	for _, f := range m.fields[t] {
		if f.name == "" {
			names = append(names, m.names(f.of)...)
		} else {
			names = append(names, f.name)
		}
	}
	return
}

func (m *messages) code(t reflect.Type) (prefix, code string, of reflect.Type) {
	if code, ok := special[t.PkgPath()+"."+t.Name()]; ok {
		return "", code, nil
	}
	element := func(prefix string) (string, string, reflect.Type) {
		inner, code, of := m.code(t.Elem())
		if inner != "" {
			fail("%s is nested", t)
		}
		return prefix, code, of
	}
	switch t.Kind() {
	case reflect.Pointer:
		return element("*")
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "", "y", nil
		}
		// A named list with a marshaller of its own is a message around the list.
		if _, ok := t.MethodByName("MarshalToSizedBuffer"); ok {
			_, code, _ := m.code(t.Elem())
			m.lists[t] = code
			return "", "", t
		}
		return element("[]")
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			fail("%s has keys that are not strings", t)
		}
		return element("{}")
	case reflect.String:
		return "", "s", nil
	case reflect.Bool:
		return "", "b", nil
	case reflect.Int32:
		return "", "i", nil
	case reflect.Int64:
		return "", "l", nil
	case reflect.Struct:
		m.describe(t)
		return "", "", t
	}
	fail("the type %s is not supported", t)
	return
}

// core/v1
func packageOf(t reflect.Type) string {
	dir, version := path.Split(t.PkgPath())
	return path.Base(dir) + "/" + version
}

func (m *messages) line(f field, in string) string {
	code := f.code
	if f.of != nil {
		of := m.representative(f.of)
		code = of.Name()
		if packageOf(of) != in {
			code = packageOf(of) + "." + code
		}
	}
	return fmt.Sprintf(" %s=%d%s%s%s", f.name, f.number, f.prefix, code, f.suffix)
}

func (m *messages) representative(t reflect.Type) reflect.Type {
	if same, ok := m.same[t]; ok {
		return same
	}
	return t
}

// Versions of a group often have the same messages. Types are the same if they have the same name and group, and fields
// of the same types: begin with all of one name in one class, and split classes until none changes.
func (m *messages) merge() {
	class := map[reflect.Type]string{}
	var types []reflect.Type
	for t := range m.fields {
		types = append(types, t)
		class[t] = path.Dir(t.PkgPath()) + "." + t.Name()
	}
	for count := 0; ; {
		next, signatures := map[reflect.Type]string{}, map[string]bool{}
		for _, t := range types {
			var text strings.Builder
			text.WriteString(path.Dir(t.PkgPath()) + "." + t.Name())
			for _, f := range m.fields[t] {
				fmt.Fprintf(&text, " %s=%d%s%s%s%s", f.name, f.number, f.prefix, f.code, f.suffix, class[f.of])
				if f.of != nil && m.lists[f.of] != "" {
					text.WriteString(f.of.String())
				}
			}
			next[t] = text.String()
			signatures[next[t]] = true
		}
		// A number instead of the text, which would grow.
		sorted := make([]string, 0, len(signatures))
		for signature := range signatures {
			sorted = append(sorted, signature)
		}
		sort.Strings(sorted)
		for t, signature := range next {
			class[t] = fmt.Sprintf("#%d", sort.SearchStrings(sorted, signature))
		}
		if len(sorted) == count {
			break
		}
		count = len(sorted)
	}
	// Stable versions first.
	rank := func(t reflect.Type) string {
		version := path.Base(t.PkgPath())
		switch {
		case strings.Contains(version, "alpha"):
			return "2" + version
		case strings.Contains(version, "beta"):
			return "1" + version
		}
		return "0" + version
	}
	sort.Slice(types, func(i, j int) bool { return rank(types[i]) < rank(types[j]) })
	first := map[string]reflect.Type{}
	for _, t := range types {
		if _, ok := first[class[t]]; !ok {
			first[class[t]] = t
		}
		m.same[t] = first[class[t]]
	}
}

func (m *messages) print(out *bufio.Writer) {
	m.merge()
	type block struct {
		apiVersion string
		lines      map[string]string
	}
	blocks := map[string]block{}
	in := func(name, apiVersion string) map[string]string {
		found, ok := blocks[name]
		if !ok {
			found = block{apiVersion, map[string]string{}}
		}
		if apiVersion != "" {
			found.apiVersion = apiVersion
		}
		blocks[name] = found
		return found.lines
	}
	for t, code := range m.lists {
		in(packageOf(t), "")[t.Name()] = t.Name() + " []" + code
	}
	for t, fields := range m.fields {
		if m.same[t] != t {
			continue
		}
		line := ""
		for _, f := range fields {
			line += m.line(f, packageOf(t))
		}
		in(packageOf(t), "")[t.Name()] = t.Name() + line
	}
	for kind, t := range m.kinds {
		if kind.Kind == "Status" {
			// Its type is of another package than its apiVersion.
			in("core/v1", "v1")[kind.Kind] = kind.Kind + "+ >" + packageOf(t) + "." + t.Name()
			continue
		}
		lines, of := in(packageOf(t), kind.GroupVersion().String()), m.same[t]
		if of == t && kind.Kind == t.Name() {
			lines[t.Name()] = strings.Replace(lines[t.Name()], t.Name(), t.Name()+"+", 1)
		} else if _, taken := lines[kind.Kind]; taken || packageOf(t) == packageOf(of) {
			fail("the kind %s has the type %s", kind, t)
		} else {
			lines[kind.Kind] = kind.Kind + "+ >" + packageOf(of) + "." + of.Name()
		}
	}
	names := make([]string, 0, len(blocks))
	for name := range blocks {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(out, "= %s %s\n", name, blocks[name].apiVersion)
		lines := make([]string, 0, len(blocks[name].lines))
		for message := range blocks[name].lines {
			lines = append(lines, message)
		}
		slices.Sort(lines)
		for _, message := range lines {
			fmt.Fprintln(out, blocks[name].lines[message])
		}
	}
}
