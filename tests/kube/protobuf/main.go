// Prints the protobuf encoding of the API types, one message per line, for tests/apiserver/src/protobuf:
//
//	cd tests/kube && go run ./protobuf >../apiserver/src/protobuf/messages.txt
//
// A line is a message name and its fields as number:json-name:type. Types are s (string), b (bool), i (integer),
// y (bytes) or another message; before them [] is a list, {} a map, * a field that is written even when it is zero.
// A field without a JSON name is inlined.
package main

import (
	"fmt"
	"path"
	"reflect"
	"sort"
	"strings"

	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var messages = map[string]string{}

// Types whose JSON form differs from their fields.
var special = map[string]string{
	"Time": "Time", "MicroTime": "MicroTime", "Quantity": "Quantity", "IntOrString": "IntOrString",
	"FieldsV1": "FieldsV1", "RawExtension": "RawExtension",
}

func main() {
	for _, root := range []any{
		core.Namespace{}, core.Pod{}, core.Service{}, core.ConfigMap{}, core.Secret{}, core.ServiceAccount{},
		core.ResourceQuota{}, core.LimitRange{}, core.PersistentVolumeClaim{}, core.PersistentVolume{}, core.Node{},
		core.Event{}, core.Endpoints{}, core.ReplicationController{},
		apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}, apps.DaemonSet{},
		batch.Job{}, batch.CronJob{}, autoscaling.HorizontalPodAutoscaler{}, autoscalingv1.Scale{},
		networking.Ingress{}, networking.IngressClass{}, networking.NetworkPolicy{}, discovery.EndpointSlice{},
		policy.PodDisruptionBudget{}, policy.Eviction{}, authentication.TokenRequest{},
		authorization.SelfSubjectAccessReview{}, authorization.SelfSubjectRulesReview{},
		rbac.Role{}, rbac.RoleBinding{}, rbac.ClusterRole{}, rbac.ClusterRoleBinding{},
		storage.StorageClass{}, meta.DeleteOptions{},
	} {
		describe(reflect.TypeOf(root))
	}
	names := make([]string, 0, len(messages))
	for name := range messages {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name + messages[name])
	}
}

// core/v1.Pod; as with core, the first word of the group is unique.
func nameOf(t reflect.Type) string {
	dir, version := path.Split(t.PkgPath())
	return path.Base(dir) + "/" + version + "." + t.Name()
}

func describe(t reflect.Type) string {
	name := nameOf(t)
	if _, known := messages[name]; known {
		return name
	}
	messages[name] = ""
	var line strings.Builder
	for i := range t.NumField() {
		field := t.Field(i)
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		json := strings.Split(field.Tag.Get("json"), ",")
		zero := ""
		if field.Type.Kind() == reflect.Pointer || !strings.Contains(field.Tag.Get("json"), "omitempty") {
			zero = "*"
		}
		fmt.Fprintf(&line, " %s:%s:%s%s", parts[1], json[0], zero, typeOf(field.Type))
	}
	messages[name] = line.String()
	return name
}

func typeOf(t reflect.Type) string {
	if known, found := special[t.Name()]; found {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		if strings.HasPrefix(t.String(), "[]") || t.Name() == "" {
			return "[]" + typeOf(t.Elem())
		}
		// A named list is a separate message around the list.
		return "Strings"
	case reflect.Map:
		return "{}" + typeOf(t.Elem())
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32, reflect.Int64, reflect.Int:
		return "i"
	case reflect.Struct:
		return describe(t)
	default:
		panic(t.String())
	}
}
