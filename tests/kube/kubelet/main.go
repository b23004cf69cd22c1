// Stub kubelet on loopback: it serves the logs of pods, exec and attach, with the streaming server of a real kubelet.
//
//	kubelet [-api URL]        prints "kubelet on port N, commands on port N" and serves until it is ended
//
// For these requests a real apiserver dials the pod's node. The seeded nodes do not exist, so all of them name this process
// as their kubelet. The apiserver accepts any certificate: its --kubelet-certificate-authority is not set. With -api, an
// apiserver that requires no credentials (kubectl proxy), a container has the state of its pod's status; without it, every
// container runs. POST /admin/logs on the port of commands changes logs (commands.go): an apiserver forwards no request
// of its clients to loopback.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

const (
	idle     = 4 * time.Hour
	creation = 30 * time.Second
)

// certificate makes one that lives as long as this process.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(0, 0, 7),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// server serves all containers of all pods.
type server struct {
	pods     pods
	start    time.Time
	commands commands
}

// container of a request: /containerLogs/{namespace}/{pod}/{container}, and the same below /exec and /attach.
type container struct{ namespace, pod, name string }

func of(request *http.Request) container {
	return container{request.PathValue("namespace"), request.PathValue("pod"), request.PathValue("container")}
}

func (s *server) exec(w http.ResponseWriter, request *http.Request) {
	s.stream(w, request, func(at container, options *remotecommand.Options) {
		command := request.URL.Query()["command"]
		remotecommand.ServeExec(w, request, s, at.pod, "", at.name, command, options, idle, creation, remotecommand.SupportedStreamingProtocols)
	})
}

func (s *server) attach(w http.ResponseWriter, request *http.Request) {
	s.stream(w, request, func(at container, options *remotecommand.Options) {
		remotecommand.ServeAttach(w, request, attacher{s, at}, at.pod, "", at.name, options, idle, creation, remotecommand.SupportedStreamingProtocols)
	})
}

func (s *server) stream(w http.ResponseWriter, request *http.Request, serve func(container, *remotecommand.Options)) {
	options, err := remotecommand.NewOptions(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	at := of(request)
	if state := s.pods.state(at); !state.running {
		http.Error(w, fmt.Sprintf("container not found (%q)", at.name), http.StatusNotFound)
		return
	}
	serve(at, options)
}

// ExecInContainer runs a command in the simulated shell.
func (s *server) ExecInContainer(ctx context.Context, pod, _, _ string, command []string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	terminal := newTerminal(ctx, in, out, err, tty, resize)
	return run(command, pod, terminal)
}

// attacher joins the process of a container: a shell if it reads, and its output otherwise.
type attacher struct {
	server *server
	at     container
}

func (a attacher) AttachContainer(ctx context.Context, pod, _, _ string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	if in != nil && a.server.pods.state(a.at).reads {
		ended := run([]string{"sh"}, pod, newTerminal(ctx, in, out, err, tty, resize))
		if _, isExit := ended.(exitError); isExit {
			return nil
		}
		return ended
	}
	if out == nil {
		<-ctx.Done()
		return nil
	}
	return a.server.write(ctx, a.at, options{follow: true, tail: new(int64)}, out)
}

func main() {
	api := flag.String("api", "", "URL of an apiserver that knows the pods")
	flag.Parse()
	cert, err := certificate()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	orders, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s := &server{pods: pods{api: *api}, start: time.Now()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", s.logs)
	for _, method := range []string{"GET", "POST"} {
		mux.HandleFunc(method+" /exec/{namespace}/{pod}/{container}", s.exec)
		mux.HandleFunc(method+" /attach/{namespace}/{pod}/{container}", s.attach)
	}
	admin := http.NewServeMux()
	admin.HandleFunc("POST /admin/logs", s.commands.receive)
	go func() { log.Fatal(http.Serve(orders, admin)) }()
	fmt.Printf("kubelet on port %d, commands on port %d\n", listener.Addr().(*net.TCPAddr).Port, orders.Addr().(*net.TCPAddr).Port)
	// Without HTTP/2: streams take the connection over.
	web := &http.Server{Handler: mux, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	log.Fatal(web.Serve(tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{cert}})))
}
