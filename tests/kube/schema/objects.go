package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Prints random objects of all kinds, one a line: the protobuf that an apiserver would send, in base64, a tab, and the JSON
// that it would send instead, a tab, and the protobuf of an object with that JSON ("=" if it is the same).
//
//	go run ./schema objects -seed 1 -count 20              twenty of each kind
//	go run ./schema objects -seed 1 -count 2 -bytes 900    two of each kind, small ones that have as many fields as possible
func objects(out *bufio.Writer, args []string) {
	flags := flag.NewFlagSet("objects", flag.ExitOnError)
	seed := flags.Int64("seed", 1, "of the random objects")
	count := flags.Int("count", 1, "of objects of each kind")
	limit := flags.Int("bytes", 0, "maximum size of a line; 0 for no limit")
	flags.Parse(args)

	all := kinds()
	sorted := make([]schema.GroupVersionKind, 0, len(all))
	for kind := range all {
		sorted = append(sorted, kind)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].String() < sorted[j].String() })

	random := rand.New(rand.NewSource(*seed))
	codecs := newCodecs()
	covered := map[string]bool{}
	for _, kind := range sorted {
		for range *count {
			if *limit == 0 {
				line, _ := codecs.line(kind, all[kind], random)
				fmt.Fprintln(out, line)
				continue
			}
			// Of many candidates the one with the most fields that no line has so far; the shortest if all are too long.
			best, most, fields := "", -1.0, []string(nil)
			for range 400 {
				line, object := codecs.line(kind, all[kind], random)
				found, fresh := fieldsOf(reflect.ValueOf(object).Elem()), 0
				for _, field := range found {
					if !covered[field] {
						fresh++
					}
				}
				score := float64(fresh) / float64(100+len(line))
				if len(line) > *limit {
					score = -float64(len(line))
				}
				if best == "" || score > most {
					best, most, fields = line, score, found
				}
			}
			for _, field := range fields {
				covered[field] = true
			}
			fmt.Fprintln(out, best)
		}
	}
}

type codecs struct {
	scheme   *runtime.Scheme
	protobuf *protobuf.Serializer
	json     *json.Serializer
}

func newCodecs() codecs {
	all := allTypes()
	// As the apiserver's, which streams lists.
	options := json.SerializerOptions{StreamingCollectionsEncoding: true}
	// Without a typer the object's own kind is used, not the first that its type is registered with.
	return codecs{all, protobuf.NewSerializer(all, nil), json.NewSerializerWithOptions(json.DefaultMetaFactory, all, all, options)}
}

// The JSON is of the object that was decoded from the protobuf, which has no difference between nil and empty lists.
func (c codecs) line(kind schema.GroupVersionKind, t reflect.Type, random *rand.Rand) (string, runtime.Object) {
	object := reflect.New(t).Interface().(runtime.Object)
	fill(object, random)
	object.GetObjectKind().SetGroupVersionKind(kind)
	var wire, text bytes.Buffer
	if err := c.protobuf.Encode(object, &wire); err != nil {
		fail("cannot encode a %s: %v", kind, err)
	}
	decoded, _, err := c.protobuf.Decode(wire.Bytes(), nil, nil)
	if err != nil {
		fail("cannot decode a %s: %v", kind, err)
	}
	addTypes(reflect.ValueOf(decoded).Elem())
	if err := c.json.Encode(decoded, &text); err != nil {
		fail("cannot write a %s: %v", kind, err)
	}
	// The other way: JSON has no difference between an empty time and none, and no invalid UTF-8.
	again, _, err := c.json.Decode(text.Bytes(), nil, nil)
	if err != nil {
		fail("cannot read a %s: %v", kind, err)
	}
	var back bytes.Buffer
	if err := c.protobuf.Encode(again, &back); err != nil {
		fail("cannot encode a %s: %v", kind, err)
	}
	column := "="
	if !bytes.Equal(back.Bytes(), wire.Bytes()) {
		column = base64.StdEncoding.EncodeToString(back.Bytes())
	}
	line := base64.StdEncoding.EncodeToString(wire.Bytes()) + "\t" + strings.TrimSuffix(text.String(), "\n") + "\t" + column
	return line, decoded
}

// Sets the types that the apiserver sets when it converts an object: see `typed`.
func addTypes(value reflect.Value) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case typed[value.Type().Name()+"."+name]:
			for j := range value.Field(i).Len() {
				element := value.Field(i).Index(j)
				version := packageOf(element.Type())
				element.FieldByName("TypeMeta").Set(reflect.ValueOf(meta.TypeMeta{
					Kind: element.Type().Name(), APIVersion: strings.TrimPrefix(version, "core/"),
				}))
			}
		case field.Type.Kind() == reflect.Struct && strings.HasPrefix(field.Type.PkgPath(), "k8s.io/api/"):
			addTypes(value.Field(i))
		}
	}
}

func fill(object runtime.Object, random *rand.Rand) {
	// Between objects with all fields, which are huge, and objects with a few.
	nils := []float64{0.2, 0.5, 0.8, 0.9, 0.95, 0.98}[random.Intn(6)]
	filler := randfill.NewWithSeed(random.Int63()).NilChance(nils).NumElements(0, 1+random.Intn(3)).MaxDepth(30).Funcs(
		func(text *string, c randfill.Continue) { *text = words[c.Intn(len(words))] },
		func(number *int32, c randfill.Continue) { *number = int32(numbers[c.Intn(len(numbers))]) },
		func(number *int64, c randfill.Continue) { *number = numbers[c.Intn(len(numbers))] },
		func(bytes *[]byte, c randfill.Continue) {
			if c.Intn(4) == 0 {
				*bytes = nil
			} else {
				*bytes = []byte(c.String(6))
			}
		},
		func(t *meta.Time, c randfill.Continue) { t.Time = times(c).Truncate(time.Second) },
		func(t *meta.MicroTime, c randfill.Continue) { t.Time = times(c) },
		func(value *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*value = intstr.FromInt32(int32(numbers[c.Intn(len(numbers))]))
			} else {
				*value = intstr.FromString(words[c.Intn(len(words))])
			}
		},
		func(value *resource.Quantity, c randfill.Continue) {
			*value = resource.MustParse(quantities[c.Intn(len(quantities))])
			if c.Intn(4) == 0 {
				*value = resource.Quantity{}
			}
		},
		func(value *runtime.RawExtension, c randfill.Continue) {
			if c.Intn(4) > 0 {
				value.Raw = []byte(texts[c.Intn(len(texts))])
			}
		},
		func(value *meta.FieldsV1, c randfill.Continue) { value.SetRawString(texts[c.Intn(len(texts))]) },
	)
	filler.Fill(object)
}

func times(c randfill.Continue) time.Time {
	switch c.Intn(4) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(c.Int63n(4_000_000_000), c.Int63n(1_000_000_000)).UTC()
	}
	// From year 1 to year 9999.
	return time.Unix(c.Int63n(315_537_897_599)-62_135_596_800, c.Int63n(1_000_000_000)).UTC()
}

var (
	numbers = []int64{0, 0, 1, 7, 80, 443, 65535, 1 << 20, -1, -7, 1<<31 - 1, -1 << 31, 1<<53 + 1, 1<<63 - 1, -1 << 63}
	words   = []string{
		"", "a", "default", "kube-system", "app.kubernetes.io/name", "a long sentence, as a message of an event may be one",
		"<a href=\"x\">&amp;</a>", "tab\tline\nreturn\rbell\abackspace\bform\fnull\x00del\x7f", "back\\slash \"quote\" /slash",
		"Grüße, 世界 🚀", "lines\u2028and\u2029ends\u2027", "broken \xff\xfe utf8 \xe2\x82", "\xed\xa0\x80surrogate", "e\u0301\ufeff\ufffd",
	}
	quantities = []string{
		"0", "1", "100m", "1500m", "1.5", "2Gi", "1500Mi", "128974848", "1e3", "1E6", "12k", "-3", "0.000000001", "5n", "1Ki", "999999999999999999999",
	}
	texts = []string{
		`{}`, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`, ` { "a" : [ 1 , 2.5e3, -0, true, false, null ] } `, `"<&>\u2028"`,
		"{\"t\":\"\u2028 \u2029 < > & \\\" \\\\ ä\"}", `[]`, "\n12\t", `null`,
	}
)

// Names of the fields that an object has, with their types.
func fieldsOf(value reflect.Value) (found []string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			found = fieldsOf(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			found = append(found, fieldsOf(value.Index(i))...)
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			found = append(found, fieldsOf(value.MapIndex(key))...)
		}
	case reflect.Struct:
		if !isMessage(value.Type()) {
			return
		}
		for i := range value.NumField() {
			if field := value.Field(i); value.Type().Field(i).Tag.Get("protobuf") != "" && !field.IsZero() {
				found = append(found, value.Type().String()+"."+value.Type().Field(i).Name)
				found = append(found, fieldsOf(field)...)
			}
		}
	}
	return
}
