/*! dalembert (Apache-2.0) with three.js 0.187.0 and uPlot 1.6.32 (MIT): see LICENSES.txt */
(()=>{async function hh(i){let t=Uint8Array.from(atob(i),n=>n.charCodeAt(0)),e=new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(e).arrayBuffer())}async function Hs({shape:i,data:t,values:e}){if(e)return{shape:i,values:e};let n=await hh(t),s=n.length/4,r=new Uint8Array(n.length);for(let a=0;a<4;a++)for(let o=0;o<s;o++)r[4*o+a]=n[a*s+o];return{shape:i,values:new Float32Array(r.buffer)}}var ys=class i{static async read(t){let e=new i,n=["t","points","poses","levels","straight_points","straight_poses"],s=await Promise.all(n.map(r=>t[r]&&Hs(t[r])));return n.forEach((r,a)=>e[r]=s[a]?s[a].values:null),e.n=e.t.length,e.nPoints=t.points.shape[0],e.nPoses=t.poses.shape[0],e.nLevels=t.levels.shape[0],e.at={points:new Float32Array(e.nPoints),poses:new Float32Array(e.nPoses),levels:new Float32Array(e.nLevels)},e}async append(t){let[e,n,s]=(await Promise.all([t.t,t.points,t.poses].map(Hs))).map(({values:o})=>o),[r,a]=[this.n,e.length];for(let o=3;o<this.nPoses;o+=7)Zg(this.poses,r,s,a,o);this.t=Ma(this.t,r,e,a),this.points=Ma(this.points,r,n,a),this.poses=Ma(this.poses,r,s,a),this.n=r+a}get start(){return this.t[0]}get end(){return this.t[this.n-1]}locate(t){let e=this.t;if(this.n===1||t<=e[0])return[0,0];if(t>=e[this.n-1])return[this.n-1,0];let n=0,s=this.n-1;for(;s-n>1;){let a=n+s>>1;e[a]<=t?n=a:s=a}let r=e[n+1]-e[n];return[n,r>0?(t-e[n])/r:0]}show(t,e=1){let[n,s]=this.locate(t),{at:r,n:a}=this;if(Lo(this.points,r.points,a,n,s),Lo(this.poses,r.poses,a,n,s),Lo(this.levels,r.levels,a,n,s),e!==1&&this.straight_points){let o=this.straight(this.straight_points,this.nPoints,n,s);for(let c=0;c<o.length;c++)r.points[c]=o[c]+e*(r.points[c]-o[c]);let l=this.straight(this.straight_poses,this.nPoses,n,s);for(let c=0;c<l.length;c+=7)$g(r.poses,l,c,e)}for(let o=0;o<r.poses.length;o+=7)ch(r.poses,o+3);return r}straight(t,e,n,s){let r=this.scratch??={[this.nPoints]:new Float32Array(this.nPoints)},a=r[e]??=new Float32Array(e);return Lo(t,a,this.n,n,s),a}};function Ma(i,t,e,n){let s=new Float32Array(i.length+e.length);for(let r=0;r*(t+n)<s.length;r++)s.set(i.subarray(r*t,(r+1)*t),r*(t+n)),s.set(e.subarray(r*n,(r+1)*n),r*(t+n)+t);return s}function Zg(i,t,e,n,s){let r=0;for(let a=s;a<s+4;a++)r+=i[a*t+t-1]*e[a*n];if(r<0)for(let a=s*n;a<(s+4)*n;a++)e[a]=-e[a]}function Lo(i,t,e,n,s){let r=s>0?1:0;for(let a=0,o=n;a<t.length;a++,o+=e)t[a]=i[o]+s*(i[o+r]-i[o])}function ch(i,t){let e=Math.hypot(i[t],i[t+1],i[t+2],i[t+3])||1;for(let n=0;n<4;n++)i[t+n]/=e}function $g(i,t,e,n){for(let x=0;x<3;x++)i[e+x]=t[e+x]+n*(i[e+x]-t[e+x]);ch(i,e+3),ch(t,e+3);let[s,r,a,o]=i.subarray(e+3,e+7),[l,c,u,d]=t.subarray(e+3,e+7),h=s*l+r*c+a*u+o*d,f=-s*c+r*l-a*d+o*u,p=-s*u+r*d+a*l-o*c,_=-s*d-r*u+a*c+o*l;h<0&&([h,f,p,_]=[-h,-f,-p,-_]);let g=Math.hypot(f,p,_),m=n*Math.atan2(g,h),v=g>1e-12?Math.sin(m)/g:0,[A,M,R,T]=[Math.cos(m),v*f,v*p,v*_];i[e+3]=A*l-M*c-R*u-T*d,i[e+4]=A*c+M*l+R*d-T*u,i[e+5]=A*u-M*d+R*l+T*c,i[e+6]=A*d+M*u-R*c+T*l}var Ds={LEFT:0,MIDDLE:1,RIGHT:2,ROTATE:0,DOLLY:1,PAN:2},Ns={ROTATE:0,PAN:1,DOLLY_PAN:2,DOLLY_ROTATE:3},_f=0,kh=1,xf=2;var ro=1,yf=2,$r=3,Us=0,Hn=1,ii=2,Ks=0,Jr=1,Vh=2,Gh=3,Hh=4,vf=5;var js=100,Sf=101,Mf=102,bf=103,wf=104,Ef=200,Tf=201,Af=202,Rf=203,Wh=204,Xh=205,Cf=206,Pf=207,If=208,Lf=209,Df=210,Nf=211,Uf=212,Ff=213,Of=214,al=0,ol=1,ll=2,Ur=3,cl=4,hl=5,ul=6,dl=7,Ol=0,Bf=1,zf=2,Gi=0,qh=1,Yh=2,Zh=3,$h=4,Jh=5,Kh=6,jh=7;var Qh=300,Qs=301,Kr=302,Bl=303,zl=304,fl=1e3,Fi=1001,pl=1002,wn=1003,kf=1004;var ao=1005;var kn=1006,kl=1007;var os=1008;var Xn=1009,tu=1010,eu=1011,jr=1012,Vl=1013,Si=1014,ui=1015,Mi=1016,Gl=1017,Hl=1018,tr=1020,nu=35902,iu=35899,su=1021,ru=1022,bi=1023,ss=1026,ls=1027,Wl=1028,Xl=1029,Fs=1030,ql=1031;var Yl=1033,oo=33776,lo=33777,co=33778,ho=33779,Zl=35840,$l=35841,Jl=35842,Kl=35843,jl=36196,Ql=37492,tc=37496,ec=37488,nc=37489,uo=37490,ic=37491,sc=37808,rc=37809,ac=37810,oc=37811,lc=37812,cc=37813,hc=37814,uc=37815,dc=37816,fc=37817,pc=37818,mc=37819,gc=37820,_c=37821,xc=36492,yc=36494,vc=36495,Sc=36283,Mc=36284,fo=36285,bc=36286;var Da=2300,ml=2301,sl=2302,Lh=2303,Dh=2400,Nh=2401,Uh=2402;var Vf=3200;var wc=0,Gf=1,cs="",Qn="srgb",Na="srgb-linear",Ua="linear",Ee="srgb";var rl=7680;var Hf=519,Wf=512,Xf=513,qf=514,au=515,Yf=516,Zf=517,ou=518,lu=519,$f=35044,cu=35048;var hu="300 es",hi=2e3,Fr=2001;function Jg(i){for(let t=i.length-1;t>=0;--t)if(i[t]>=65535)return!0;return!1}function Kg(i){return ArrayBuffer.isView(i)&&!(i instanceof DataView)}function Fa(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function Jf(){let i=Fa("canvas");return i.style.display="block",i}var Bd={},Or=null;function uu(...i){let t="THREE."+i.shift();Or?Or("log",t,...i):console.log(t,...i)}function Kf(i){let t=i[0];if(typeof t=="string"&&t.startsWith("TSL:")){let e=i[1];e&&e.isStackTrace?i[0]+=" "+e.getLocation():i[1]='Stack trace not available. Enable "THREE.Node.captureStackTrace" to capture stack traces.'}return i}function qt(...i){i=Kf(i);let t="THREE."+i.shift();if(Or)Or("warn",t,...i);else{let e=i[0];e&&e.isStackTrace?console.warn(e.getError(t)):console.warn(t,...i)}}function Qt(...i){i=Kf(i);let t="THREE."+i.shift();if(Or)Or("error",t,...i);else{let e=i[0];e&&e.isStackTrace?console.error(e.getError(t)):console.error(t,...i)}}function Pa(...i){let t=i.join(" ");t in Bd||(Bd[t]=!0,qt(...i))}function jf(i,t,e){return new Promise(function(n,s){function r(){switch(i.clientWaitSync(t,i.SYNC_FLUSH_COMMANDS_BIT,0)){case i.WAIT_FAILED:s();break;case i.TIMEOUT_EXPIRED:setTimeout(r,e);break;default:n()}}setTimeout(r,e)})}var Qf={[al]:al,[ll]:ul,[cl]:cl,[Ur]:hl,[ol]:ol,[ul]:ll,[dl]:dl,[hl]:Ur},vi=class{addEventListener(t,e){this._listeners===void 0&&(this._listeners={});let n=this._listeners;n[t]===void 0&&(n[t]=[]),n[t].indexOf(e)===-1&&n[t].push(e)}hasEventListener(t,e){let n=this._listeners;return n===void 0?!1:n[t]!==void 0&&n[t].indexOf(e)!==-1}removeEventListener(t,e){let n=this._listeners;if(n===void 0)return;let s=n[t];if(s!==void 0){let r=s.indexOf(e);r!==-1&&s.splice(r,1)}}dispatchEvent(t){let e=this._listeners;if(e===void 0)return;let n=e[t.type];if(n!==void 0){t.target=this;let s=n.slice(0);for(let r=0,a=s.length;r<a;r++)s[r].call(this,t);t.target=null}}},In=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],zd=1234567,Ia=Math.PI/180,Br=180/Math.PI;function Qr(){let i=Math.random()*4294967295|0,t=Math.random()*4294967295|0,e=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(In[i&255]+In[i>>8&255]+In[i>>16&255]+In[i>>24&255]+"-"+In[t&255]+In[t>>8&255]+"-"+In[t>>16&15|64]+In[t>>24&255]+"-"+In[e&63|128]+In[e>>8&255]+"-"+In[e>>16&255]+In[e>>24&255]+In[n&255]+In[n>>8&255]+In[n>>16&255]+In[n>>24&255]).toLowerCase()}function fe(i,t,e){return Math.max(t,Math.min(e,i))}function du(i,t){return(i%t+t)%t}function jg(i,t,e,n,s){return n+(i-t)*(s-n)/(e-t)}function Qg(i,t,e){return i!==t?(e-i)/(t-i):0}function La(i,t,e){return(1-e)*i+e*t}function t0(i,t,e,n){return La(i,t,1-Math.exp(-e*n))}function e0(i,t=1){return t-Math.abs(du(i,t*2)-t)}function n0(i,t,e){return i<=t?0:i>=e?1:(i=(i-t)/(e-t),i*i*(3-2*i))}function i0(i,t,e){return i<=t?0:i>=e?1:(i=(i-t)/(e-t),i*i*i*(i*(i*6-15)+10))}function s0(i,t){return i+Math.floor(Math.random()*(t-i+1))}function r0(i,t){return i+Math.random()*(t-i)}function a0(i){return i*(.5-Math.random())}function o0(i){i!==void 0&&(zd=i);let t=zd+=1831565813;return t=Math.imul(t^t>>>15,t|1),t^=t+Math.imul(t^t>>>7,t|61),((t^t>>>14)>>>0)/4294967296}function l0(i){return i*Ia}function c0(i){return i*Br}function h0(i){return i>0&&Number.isInteger(i)&&2**Math.round(Math.log2(i))===i}function u0(i){return Math.pow(2,Math.ceil(Math.log(i)/Math.LN2))}function fu(i){return Math.pow(2,Math.floor(Math.log(i)/Math.LN2))}function d0(i,t,e,n,s){let r=Math.cos,a=Math.sin,o=r(e/2),l=a(e/2),c=r((t+n)/2),u=a((t+n)/2),d=r((t-n)/2),h=a((t-n)/2),f=r((n-t)/2),p=a((n-t)/2);switch(s){case"XYX":i.set(o*u,l*d,l*h,o*c);break;case"YZY":i.set(l*h,o*u,l*d,o*c);break;case"ZXZ":i.set(l*d,l*h,o*u,o*c);break;case"XZX":i.set(o*u,l*p,l*f,o*c);break;case"YXY":i.set(l*f,o*u,l*p,o*c);break;case"ZYZ":i.set(l*p,l*f,o*u,o*c);break;default:qt("MathUtils: .setQuaternionFromProperEuler() encountered an unknown order: "+s)}}function pu(i){switch(i.constructor){case Uint32Array:return 4294967295;case Uint16Array:return 65535;case Uint8Array:case Uint8ClampedArray:return 255;case Int32Array:return 2147483647;case Int16Array:return 32767;case Int8Array:return 127;default:return}}function tp(i,t){if(t.constructor===Float32Array)return i;let e=pu(t);if(e===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.max(i/e,-1)}function ep(i,t){if(t.constructor===Float32Array)return i;let e=pu(t);if(e===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.round(i*e)}var mu={DEG2RAD:Ia,RAD2DEG:Br,generateUUID:Qr,clamp:fe,euclideanModulo:du,mapLinear:jg,inverseLerp:Qg,lerp:La,damp:t0,pingpong:e0,smoothstep:n0,smootherstep:i0,randInt:s0,randFloat:r0,randFloatSpread:a0,seededRandom:o0,degToRad:l0,radToDeg:c0,isPowerOfTwo:h0,ceilPowerOfTwo:u0,floorPowerOfTwo:fu,setQuaternionFromProperEuler:d0,normalize:ep,denormalize:tp},Kt=class{static{this.prototype.isVector2=!0}constructor(t=0,e=0){this.x=t,this.y=e}get width(){return this.x}set width(t){this.x=t}get height(){return this.y}set height(t){this.y=t}set(t,e){return this.x=t,this.y=e,this}setScalar(t){return this.x=t,this.y=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;default:throw new Error("THREE.Vector2: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;default:throw new Error("THREE.Vector2: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y)}copy(t){return this.x=t.x,this.y=t.y,this}add(t){return this.x+=t.x,this.y+=t.y,this}addScalar(t){return this.x+=t,this.y+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this}subScalar(t){return this.x-=t,this.y-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this}multiply(t){return this.x*=t.x,this.y*=t.y,this}multiplyScalar(t){return this.x*=t,this.y*=t,this}divide(t){return this.x/=t.x,this.y/=t.y,this}divideScalar(t){return this.multiplyScalar(1/t)}applyMatrix3(t){let e=this.x,n=this.y,s=t.elements;return this.x=s[0]*e+s[3]*n+s[6],this.y=s[1]*e+s[4]*n+s[7],this}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this}clamp(t,e){return this.x=fe(this.x,t.x,e.x),this.y=fe(this.y,t.y,e.y),this}clampScalar(t,e){return this.x=fe(this.x,t,e),this.y=fe(this.y,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(fe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(t){return this.x*t.x+this.y*t.y}cross(t){return this.x*t.y-this.y*t.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(t){let e=Math.sqrt(this.lengthSq()*t.lengthSq());if(e===0)return Math.PI/2;let n=this.dot(t)/e;return Math.acos(fe(n,-1,1))}distanceTo(t){return Math.sqrt(this.distanceToSquared(t))}distanceToSquared(t){let e=this.x-t.x,n=this.y-t.y;return e*e+n*n}manhattanDistanceTo(t){return Math.abs(this.x-t.x)+Math.abs(this.y-t.y)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this}equals(t){return t.x===this.x&&t.y===this.y}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this}rotateAround(t,e){let n=Math.cos(e),s=Math.sin(e),r=this.x-t.x,a=this.y-t.y;return this.x=r*n-a*s+t.x,this.y=r*s+a*n+t.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}},Vn=class{constructor(t=0,e=0,n=0,s=1){this.isQuaternion=!0,this._x=t,this._y=e,this._z=n,this._w=s}static slerpFlat(t,e,n,s,r,a,o){let l=n[s+0],c=n[s+1],u=n[s+2],d=n[s+3],h=r[a+0],f=r[a+1],p=r[a+2],_=r[a+3];if(d!==_||l!==h||c!==f||u!==p){let g=l*h+c*f+u*p+d*_;g<0&&(h=-h,f=-f,p=-p,_=-_,g=-g);let m=1-o;if(g<.9995){let v=Math.acos(g),A=Math.sin(v);m=Math.sin(m*v)/A,o=Math.sin(o*v)/A,l=l*m+h*o,c=c*m+f*o,u=u*m+p*o,d=d*m+_*o}else{l=l*m+h*o,c=c*m+f*o,u=u*m+p*o,d=d*m+_*o;let v=1/Math.sqrt(l*l+c*c+u*u+d*d);l*=v,c*=v,u*=v,d*=v}}t[e]=l,t[e+1]=c,t[e+2]=u,t[e+3]=d}static multiplyQuaternionsFlat(t,e,n,s,r,a){let o=n[s],l=n[s+1],c=n[s+2],u=n[s+3],d=r[a],h=r[a+1],f=r[a+2],p=r[a+3];return t[e]=o*p+u*d+l*f-c*h,t[e+1]=l*p+u*h+c*d-o*f,t[e+2]=c*p+u*f+o*h-l*d,t[e+3]=u*p-o*d-l*h-c*f,t}get x(){return this._x}set x(t){this._x=t,this._onChangeCallback()}get y(){return this._y}set y(t){this._y=t,this._onChangeCallback()}get z(){return this._z}set z(t){this._z=t,this._onChangeCallback()}get w(){return this._w}set w(t){this._w=t,this._onChangeCallback()}set(t,e,n,s){return this._x=t,this._y=e,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(t){return this._x=t.x,this._y=t.y,this._z=t.z,this._w=t.w,this._onChangeCallback(),this}setFromEuler(t,e=!0){let n=t._x,s=t._y,r=t._z,a=t._order,o=Math.cos,l=Math.sin,c=o(n/2),u=o(s/2),d=o(r/2),h=l(n/2),f=l(s/2),p=l(r/2);switch(a){case"XYZ":this._x=h*u*d+c*f*p,this._y=c*f*d-h*u*p,this._z=c*u*p+h*f*d,this._w=c*u*d-h*f*p;break;case"YXZ":this._x=h*u*d+c*f*p,this._y=c*f*d-h*u*p,this._z=c*u*p-h*f*d,this._w=c*u*d+h*f*p;break;case"ZXY":this._x=h*u*d-c*f*p,this._y=c*f*d+h*u*p,this._z=c*u*p+h*f*d,this._w=c*u*d-h*f*p;break;case"ZYX":this._x=h*u*d-c*f*p,this._y=c*f*d+h*u*p,this._z=c*u*p-h*f*d,this._w=c*u*d+h*f*p;break;case"YZX":this._x=h*u*d+c*f*p,this._y=c*f*d+h*u*p,this._z=c*u*p-h*f*d,this._w=c*u*d-h*f*p;break;case"XZY":this._x=h*u*d-c*f*p,this._y=c*f*d-h*u*p,this._z=c*u*p+h*f*d,this._w=c*u*d+h*f*p;break;default:qt("Quaternion: .setFromEuler() encountered an unknown order: "+a)}return e===!0&&this._onChangeCallback(),this}setFromAxisAngle(t,e){let n=e/2,s=Math.sin(n);return this._x=t.x*s,this._y=t.y*s,this._z=t.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(t){let e=t.elements,n=e[0],s=e[4],r=e[8],a=e[1],o=e[5],l=e[9],c=e[2],u=e[6],d=e[10],h=n+o+d;if(h>0){let f=.5/Math.sqrt(h+1);this._w=.25/f,this._x=(u-l)*f,this._y=(r-c)*f,this._z=(a-s)*f}else if(n>o&&n>d){let f=2*Math.sqrt(1+n-o-d);this._w=(u-l)/f,this._x=.25*f,this._y=(s+a)/f,this._z=(r+c)/f}else if(o>d){let f=2*Math.sqrt(1+o-n-d);this._w=(r-c)/f,this._x=(s+a)/f,this._y=.25*f,this._z=(l+u)/f}else{let f=2*Math.sqrt(1+d-n-o);this._w=(a-s)/f,this._x=(r+c)/f,this._y=(l+u)/f,this._z=.25*f}return this._onChangeCallback(),this}setFromUnitVectors(t,e){let n=t.dot(e)+1;return n<1e-8?(n=0,Math.abs(t.x)>Math.abs(t.z)?(this._x=-t.y,this._y=t.x,this._z=0,this._w=n):(this._x=0,this._y=-t.z,this._z=t.y,this._w=n)):(this._x=t.y*e.z-t.z*e.y,this._y=t.z*e.x-t.x*e.z,this._z=t.x*e.y-t.y*e.x,this._w=n),this.normalize()}angleTo(t){return 2*Math.acos(Math.abs(fe(this.dot(t),-1,1)))}rotateTowards(t,e){let n=this.angleTo(t);if(n===0)return this;let s=Math.min(1,e/n);return this.slerp(t,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(t){return this._x*t._x+this._y*t._y+this._z*t._z+this._w*t._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let t=this.length();return t===0?(this._x=0,this._y=0,this._z=0,this._w=1):(t=1/t,this._x=this._x*t,this._y=this._y*t,this._z=this._z*t,this._w=this._w*t),this._onChangeCallback(),this}multiply(t){return this.multiplyQuaternions(this,t)}premultiply(t){return this.multiplyQuaternions(t,this)}multiplyQuaternions(t,e){let n=t._x,s=t._y,r=t._z,a=t._w,o=e._x,l=e._y,c=e._z,u=e._w;return this._x=n*u+a*o+s*c-r*l,this._y=s*u+a*l+r*o-n*c,this._z=r*u+a*c+n*l-s*o,this._w=a*u-n*o-s*l-r*c,this._onChangeCallback(),this}slerp(t,e){let n=t._x,s=t._y,r=t._z,a=t._w,o=this.dot(t);o<0&&(n=-n,s=-s,r=-r,a=-a,o=-o);let l=1-e;if(o<.9995){let c=Math.acos(o),u=Math.sin(c);l=Math.sin(l*c)/u,e=Math.sin(e*c)/u,this._x=this._x*l+n*e,this._y=this._y*l+s*e,this._z=this._z*l+r*e,this._w=this._w*l+a*e,this._onChangeCallback()}else this._x=this._x*l+n*e,this._y=this._y*l+s*e,this._z=this._z*l+r*e,this._w=this._w*l+a*e,this.normalize();return this}slerpQuaternions(t,e,n){return this.copy(t).slerp(e,n)}random(){let t=2*Math.PI*Math.random(),e=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(t),s*Math.cos(t),r*Math.sin(e),r*Math.cos(e))}equals(t){return t._x===this._x&&t._y===this._y&&t._z===this._z&&t._w===this._w}fromArray(t,e=0){return this._x=t[e],this._y=t[e+1],this._z=t[e+2],this._w=t[e+3],this._onChangeCallback(),this}toArray(t=[],e=0){return t[e]=this._x,t[e+1]=this._y,t[e+2]=this._z,t[e+3]=this._w,t}fromBufferAttribute(t,e){return this._x=t.getX(e),this._y=t.getY(e),this._z=t.getZ(e),this._w=t.getW(e),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(t){return this._onChangeCallback=t,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}},W=class{static{this.prototype.isVector3=!0}constructor(t=0,e=0,n=0){this.x=t,this.y=e,this.z=n}set(t,e,n){return n===void 0&&(n=this.z),this.x=t,this.y=e,this.z=n,this}setScalar(t){return this.x=t,this.y=t,this.z=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setZ(t){return this.z=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;case 2:this.z=e;break;default:throw new Error("THREE.Vector3: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("THREE.Vector3: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(t){return this.x=t.x,this.y=t.y,this.z=t.z,this}add(t){return this.x+=t.x,this.y+=t.y,this.z+=t.z,this}addScalar(t){return this.x+=t,this.y+=t,this.z+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this.z=t.z+e.z,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this.z+=t.z*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this.z-=t.z,this}subScalar(t){return this.x-=t,this.y-=t,this.z-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this.z=t.z-e.z,this}multiply(t){return this.x*=t.x,this.y*=t.y,this.z*=t.z,this}multiplyScalar(t){return this.x*=t,this.y*=t,this.z*=t,this}multiplyVectors(t,e){return this.x=t.x*e.x,this.y=t.y*e.y,this.z=t.z*e.z,this}applyEuler(t){return this.applyQuaternion(kd.setFromEuler(t))}applyAxisAngle(t,e){return this.applyQuaternion(kd.setFromAxisAngle(t,e))}applyMatrix3(t){let e=this.x,n=this.y,s=this.z,r=t.elements;return this.x=r[0]*e+r[3]*n+r[6]*s,this.y=r[1]*e+r[4]*n+r[7]*s,this.z=r[2]*e+r[5]*n+r[8]*s,this}applyNormalMatrix(t){return this.applyMatrix3(t).normalize()}applyMatrix4(t){let e=this.x,n=this.y,s=this.z,r=t.elements,a=1/(r[3]*e+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*e+r[4]*n+r[8]*s+r[12])*a,this.y=(r[1]*e+r[5]*n+r[9]*s+r[13])*a,this.z=(r[2]*e+r[6]*n+r[10]*s+r[14])*a,this}applyQuaternion(t){let e=this.x,n=this.y,s=this.z,r=t.x,a=t.y,o=t.z,l=t.w,c=2*(a*s-o*n),u=2*(o*e-r*s),d=2*(r*n-a*e);return this.x=e+l*c+a*d-o*u,this.y=n+l*u+o*c-r*d,this.z=s+l*d+r*u-a*c,this}project(t){return this.applyMatrix4(t.matrixWorldInverse).applyMatrix4(t.projectionMatrix)}unproject(t){return this.applyMatrix4(t.projectionMatrixInverse).applyMatrix4(t.matrixWorld)}transformDirection(t){let e=this.x,n=this.y,s=this.z,r=t.elements;return this.x=r[0]*e+r[4]*n+r[8]*s,this.y=r[1]*e+r[5]*n+r[9]*s,this.z=r[2]*e+r[6]*n+r[10]*s,this.normalize()}divide(t){return this.x/=t.x,this.y/=t.y,this.z/=t.z,this}divideScalar(t){return this.multiplyScalar(1/t)}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this.z=Math.min(this.z,t.z),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this.z=Math.max(this.z,t.z),this}clamp(t,e){return this.x=fe(this.x,t.x,e.x),this.y=fe(this.y,t.y,e.y),this.z=fe(this.z,t.z,e.z),this}clampScalar(t,e){return this.x=fe(this.x,t,e),this.y=fe(this.y,t,e),this.z=fe(this.z,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(fe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(t){return this.x*t.x+this.y*t.y+this.z*t.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this.z+=(t.z-this.z)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this.z=t.z+(e.z-t.z)*n,this}cross(t){return this.crossVectors(this,t)}crossVectors(t,e){let n=t.x,s=t.y,r=t.z,a=e.x,o=e.y,l=e.z;return this.x=s*l-r*o,this.y=r*a-n*l,this.z=n*o-s*a,this}projectOnVector(t){let e=t.lengthSq();if(e===0)return this.set(0,0,0);let n=t.dot(this)/e;return this.copy(t).multiplyScalar(n)}projectOnPlane(t){return uh.copy(this).projectOnVector(t),this.sub(uh)}reflect(t){return this.sub(uh.copy(t).multiplyScalar(2*this.dot(t)))}angleTo(t){let e=Math.sqrt(this.lengthSq()*t.lengthSq());if(e===0)return Math.PI/2;let n=this.dot(t)/e;return Math.acos(fe(n,-1,1))}distanceTo(t){return Math.sqrt(this.distanceToSquared(t))}distanceToSquared(t){let e=this.x-t.x,n=this.y-t.y,s=this.z-t.z;return e*e+n*n+s*s}manhattanDistanceTo(t){return Math.abs(this.x-t.x)+Math.abs(this.y-t.y)+Math.abs(this.z-t.z)}setFromSpherical(t){return this.setFromSphericalCoords(t.radius,t.phi,t.theta)}setFromSphericalCoords(t,e,n){let s=Math.sin(e)*t;return this.x=s*Math.sin(n),this.y=Math.cos(e)*t,this.z=s*Math.cos(n),this}setFromCylindrical(t){return this.setFromCylindricalCoords(t.radius,t.theta,t.y)}setFromCylindricalCoords(t,e,n){return this.x=t*Math.sin(e),this.y=n,this.z=t*Math.cos(e),this}setFromMatrixPosition(t){let e=t.elements;return this.x=e[12],this.y=e[13],this.z=e[14],this}setFromMatrixScale(t){let e=this.setFromMatrixColumn(t,0).length(),n=this.setFromMatrixColumn(t,1).length(),s=this.setFromMatrixColumn(t,2).length();return this.x=e,this.y=n,this.z=s,this}setFromMatrixColumn(t,e){return this.fromArray(t.elements,e*4)}setFromMatrix3Column(t,e){return this.fromArray(t.elements,e*3)}setFromEuler(t){return this.x=t._x,this.y=t._y,this.z=t._z,this}setFromColor(t){return this.x=t.r,this.y=t.g,this.z=t.b,this}equals(t){return t.x===this.x&&t.y===this.y&&t.z===this.z}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this.z=t[e+2],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t[e+2]=this.z,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this.z=t.getZ(e),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){let t=Math.random()*Math.PI*2,e=Math.random()*2-1,n=Math.sqrt(1-e*e);return this.x=n*Math.cos(t),this.y=e,this.z=n*Math.sin(t),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}},uh=new W,kd=new Vn,ee=class{static{this.prototype.isMatrix3=!0}constructor(t,e,n,s,r,a,o,l,c){this.elements=[1,0,0,0,1,0,0,0,1],t!==void 0&&this.set(t,e,n,s,r,a,o,l,c)}set(t,e,n,s,r,a,o,l,c){let u=this.elements;return u[0]=t,u[1]=s,u[2]=o,u[3]=e,u[4]=r,u[5]=l,u[6]=n,u[7]=a,u[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(t){let e=this.elements,n=t.elements;return e[0]=n[0],e[1]=n[1],e[2]=n[2],e[3]=n[3],e[4]=n[4],e[5]=n[5],e[6]=n[6],e[7]=n[7],e[8]=n[8],this}extractBasis(t,e,n){return t.setFromMatrix3Column(this,0),e.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(t){let e=t.elements;return this.set(e[0],e[4],e[8],e[1],e[5],e[9],e[2],e[6],e[10]),this}multiply(t){return this.multiplyMatrices(this,t)}premultiply(t){return this.multiplyMatrices(t,this)}multiplyMatrices(t,e){let n=t.elements,s=e.elements,r=this.elements,a=n[0],o=n[3],l=n[6],c=n[1],u=n[4],d=n[7],h=n[2],f=n[5],p=n[8],_=s[0],g=s[3],m=s[6],v=s[1],A=s[4],M=s[7],R=s[2],T=s[5],x=s[8];return r[0]=a*_+o*v+l*R,r[3]=a*g+o*A+l*T,r[6]=a*m+o*M+l*x,r[1]=c*_+u*v+d*R,r[4]=c*g+u*A+d*T,r[7]=c*m+u*M+d*x,r[2]=h*_+f*v+p*R,r[5]=h*g+f*A+p*T,r[8]=h*m+f*M+p*x,this}multiplyScalar(t){let e=this.elements;return e[0]*=t,e[3]*=t,e[6]*=t,e[1]*=t,e[4]*=t,e[7]*=t,e[2]*=t,e[5]*=t,e[8]*=t,this}determinant(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],a=t[4],o=t[5],l=t[6],c=t[7],u=t[8];return e*a*u-e*o*c-n*r*u+n*o*l+s*r*c-s*a*l}invert(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],a=t[4],o=t[5],l=t[6],c=t[7],u=t[8],d=u*a-o*c,h=o*l-u*r,f=c*r-a*l,p=e*d+n*h+s*f;if(p===0)return this.set(0,0,0,0,0,0,0,0,0);let _=1/p;return t[0]=d*_,t[1]=(s*c-u*n)*_,t[2]=(o*n-s*a)*_,t[3]=h*_,t[4]=(u*e-s*l)*_,t[5]=(s*r-o*e)*_,t[6]=f*_,t[7]=(n*l-c*e)*_,t[8]=(a*e-n*r)*_,this}transpose(){let t,e=this.elements;return t=e[1],e[1]=e[3],e[3]=t,t=e[2],e[2]=e[6],e[6]=t,t=e[5],e[5]=e[7],e[7]=t,this}getNormalMatrix(t){return this.setFromMatrix4(t).invert().transpose()}transposeIntoArray(t){let e=this.elements;return t[0]=e[0],t[1]=e[3],t[2]=e[6],t[3]=e[1],t[4]=e[4],t[5]=e[7],t[6]=e[2],t[7]=e[5],t[8]=e[8],this}setUvTransform(t,e,n,s,r,a,o){let l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*a+c*o)+a+t,-s*c,s*l,-s*(-c*a+l*o)+o+e,0,0,1),this}scale(t,e){return Pa("Matrix3: .scale() is deprecated. Use .makeScale() instead."),this.premultiply(dh.makeScale(t,e)),this}rotate(t){return Pa("Matrix3: .rotate() is deprecated. Use .makeRotation() instead."),this.premultiply(dh.makeRotation(-t)),this}translate(t,e){return Pa("Matrix3: .translate() is deprecated. Use .makeTranslation() instead."),this.premultiply(dh.makeTranslation(t,e)),this}makeTranslation(t,e){return t.isVector2?this.set(1,0,t.x,0,1,t.y,0,0,1):this.set(1,0,t,0,1,e,0,0,1),this}makeRotation(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,-n,0,n,e,0,0,0,1),this}makeScale(t,e){return this.set(t,0,0,0,e,0,0,0,1),this}equals(t){let e=this.elements,n=t.elements;for(let s=0;s<9;s++)if(e[s]!==n[s])return!1;return!0}fromArray(t,e=0){for(let n=0;n<9;n++)this.elements[n]=t[n+e];return this}toArray(t=[],e=0){let n=this.elements;return t[e]=n[0],t[e+1]=n[1],t[e+2]=n[2],t[e+3]=n[3],t[e+4]=n[4],t[e+5]=n[5],t[e+6]=n[6],t[e+7]=n[7],t[e+8]=n[8],t}clone(){return new this.constructor().fromArray(this.elements)}},dh=new ee,Vd=new ee().set(.4123908,.3575843,.1804808,.212639,.7151687,.0721923,.0193308,.1191948,.9505322),Gd=new ee().set(3.2409699,-1.5373832,-.4986108,-.9692436,1.8759675,.0415551,.0556301,-.203977,1.0569715);function f0(){let i={enabled:!0,workingColorSpace:Na,spaces:{},convert:function(s,r,a){return this.enabled===!1||r===a||!r||!a||(this.spaces[r].transfer===Ee&&(s.r=is(s.r),s.g=is(s.g),s.b=is(s.b)),this.spaces[r].primaries!==this.spaces[a].primaries&&(s.applyMatrix3(this.spaces[r].toXYZ),s.applyMatrix3(this.spaces[a].fromXYZ)),this.spaces[a].transfer===Ee&&(s.r=Nr(s.r),s.g=Nr(s.g),s.b=Nr(s.b))),s},workingToColorSpace:function(s,r){return this.convert(s,this.workingColorSpace,r)},colorSpaceToWorking:function(s,r){return this.convert(s,r,this.workingColorSpace)},getPrimaries:function(s){return this.spaces[s].primaries},getTransfer:function(s){return s===cs?Ua:this.spaces[s].transfer},getToneMappingMode:function(s){return this.spaces[s].outputColorSpaceConfig.toneMappingMode||"standard"},getLuminanceCoefficients:function(s,r=this.workingColorSpace){return s.fromArray(this.spaces[r].luminanceCoefficients)},define:function(s){Object.assign(this.spaces,s)},_getMatrix:function(s,r,a){return s.copy(this.spaces[a].fromXYZ).multiply(this.spaces[r].toXYZ)},_getDrawingBufferColorSpace:function(s){return this.spaces[s].outputColorSpaceConfig.drawingBufferColorSpace},_getUnpackColorSpace:function(s=this.workingColorSpace){return this.spaces[s].workingColorSpaceConfig.unpackColorSpace}},t=[.64,.33,.3,.6,.15,.06],e=[.2126,.7152,.0722],n=[.3127,.329];return i.define({[Na]:{primaries:t,whitePoint:n,transfer:Ua,toXYZ:Vd,fromXYZ:Gd,luminanceCoefficients:e,workingColorSpaceConfig:{unpackColorSpace:Qn},outputColorSpaceConfig:{drawingBufferColorSpace:Qn}},[Qn]:{primaries:t,whitePoint:n,transfer:Ee,toXYZ:Vd,fromXYZ:Gd,luminanceCoefficients:e,outputColorSpaceConfig:{drawingBufferColorSpace:Qn}}}),i}var ge=f0();function is(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function Nr(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}var vr,gl=class{static getDataURL(t,e="image/png"){if(/^data:/i.test(t.src)||typeof HTMLCanvasElement>"u")return t.src;let n;if(t instanceof HTMLCanvasElement)n=t;else{vr===void 0&&(vr=Fa("canvas")),vr.width=t.width,vr.height=t.height;let s=vr.getContext("2d");t instanceof ImageData?s.putImageData(t,0,0):s.drawImage(t,0,0,t.width,t.height),n=vr}return n.toDataURL(e)}static sRGBToLinear(t){if(typeof HTMLImageElement<"u"&&t instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&t instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&t instanceof ImageBitmap){let e=Fa("canvas");e.width=t.width,e.height=t.height;let n=e.getContext("2d");n.drawImage(t,0,0,t.width,t.height);let s=n.getImageData(0,0,t.width,t.height),r=s.data;for(let a=0;a<r.length;a++)r[a]=is(r[a]/255)*255;return n.putImageData(s,0,0),e}else if(t.data){let e=t.data.slice(0);for(let n=0;n<e.length;n++)e instanceof Uint8Array||e instanceof Uint8ClampedArray?e[n]=Math.floor(is(e[n]/255)*255):e[n]=is(e[n]);return{data:e,width:t.width,height:t.height}}else return qt("ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),t}},p0=0,zr=class{constructor(t=null){this.isTextureSource=!0,Object.defineProperty(this,"id",{value:p0++}),this.uuid=Qr(),this.data=t,this.dataReady=!0,this.version=0}getSize(t){let e=this.data;return typeof HTMLVideoElement<"u"&&e instanceof HTMLVideoElement?t.set(e.videoWidth,e.videoHeight,0):typeof VideoFrame<"u"&&e instanceof VideoFrame?t.set(e.displayWidth,e.displayHeight,0):e!==null?t.set(e.width||0,e.height||0,e.depth||0):t.set(0,0,0),t}set needsUpdate(t){t===!0&&this.version++}toJSON(t){let e=t===void 0||typeof t=="string";if(!e&&t.images[this.uuid]!==void 0)return t.images[this.uuid];let n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let a=0,o=s.length;a<o;a++)s[a].isDataTexture?r.push(fh(s[a].image)):r.push(fh(s[a]))}else r=fh(s);n.url=r}return e||(t.images[this.uuid]=n),n}};function fh(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?gl.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(qt("Texture: Unable to serialize Texture."),{})}var m0=0,ph=new W,Gn=class i extends vi{constructor(t=i.DEFAULT_IMAGE,e=i.DEFAULT_MAPPING,n=Fi,s=Fi,r=kn,a=os,o=bi,l=Xn,c=i.DEFAULT_ANISOTROPY,u=cs){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:m0++}),this.uuid=Qr(),this.name="",this.source=new zr(t),this.mipmaps=[],this.mapping=e,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=a,this.anisotropy=c,this.format=o,this.internalFormat=null,this.type=l,this.offset=new Kt(0,0),this.repeat=new Kt(1,1),this.center=new Kt(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new ee,this.generateMipmaps=!0,this.mipmapsAutoUpdate=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=u,this.userData={},this.updateRanges=[],this.version=0,this.onUpdate=null,this.renderTarget=null,this.isRenderTargetTexture=!1,this.isArrayTexture=!!(t&&t.depth&&t.depth>1),this.pmremVersion=0,this.isPMREMTexture=!1,this.normalized=!1}get width(){return this.source.getSize(ph).x}get height(){return this.source.getSize(ph).y}get depth(){return this.source.getSize(ph).z}get image(){return this.source.data}set image(t){this.source.data=t}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}addUpdateRange(t,e){this.updateRanges.push({start:t,count:e})}clearUpdateRanges(){this.updateRanges.length=0}clone(){return new this.constructor().copy(this)}copy(t){return this.name=t.name,this.source=t.source,this.mipmaps=t.mipmaps.slice(0),this.mapping=t.mapping,this.channel=t.channel,this.wrapS=t.wrapS,this.wrapT=t.wrapT,this.magFilter=t.magFilter,this.minFilter=t.minFilter,this.anisotropy=t.anisotropy,this.format=t.format,this.internalFormat=t.internalFormat,this.type=t.type,this.normalized=t.normalized,this.offset.copy(t.offset),this.repeat.copy(t.repeat),this.center.copy(t.center),this.rotation=t.rotation,this.matrixAutoUpdate=t.matrixAutoUpdate,this.matrix.copy(t.matrix),this.generateMipmaps=t.generateMipmaps,this.mipmapsAutoUpdate=t.mipmapsAutoUpdate,this.premultiplyAlpha=t.premultiplyAlpha,this.flipY=t.flipY,this.unpackAlignment=t.unpackAlignment,this.colorSpace=t.colorSpace,this.renderTarget=t.renderTarget,this.isRenderTargetTexture=t.isRenderTargetTexture,this.isPMREMTexture=t.isPMREMTexture,this.isArrayTexture=t.isArrayTexture,this.userData=JSON.parse(JSON.stringify(t.userData)),this.needsUpdate=!0,this}setValues(t){for(let e in t){let n=t[e];if(n===void 0){qt(`Texture.setValues(): parameter '${e}' has value of undefined.`);continue}let s=this[e];if(s===void 0){qt(`Texture.setValues(): property '${e}' does not exist.`);continue}s&&n&&s.isVector2&&n.isVector2||s&&n&&s.isVector3&&n.isVector3||s&&n&&s.isMatrix3&&n.isMatrix3?s.copy(n):this[e]=n}}toJSON(t){let e=t===void 0||typeof t=="string";if(!e&&t.textures[this.uuid]!==void 0)return t.textures[this.uuid];let n={metadata:{version:4.7,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(t).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,normalized:this.normalized,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,mipmapsAutoUpdate:this.mipmapsAutoUpdate,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),e||(t.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(t){if(this.mapping!==Qh)return t;if(t.applyMatrix3(this.matrix),t.x<0||t.x>1)switch(this.wrapS){case fl:t.x=t.x-Math.floor(t.x);break;case Fi:t.x=t.x<0?0:1;break;case pl:Math.abs(Math.floor(t.x)%2)===1?t.x=Math.ceil(t.x)-t.x:t.x=t.x-Math.floor(t.x);break}if(t.y<0||t.y>1)switch(this.wrapT){case fl:t.y=t.y-Math.floor(t.y);break;case Fi:t.y=t.y<0?0:1;break;case pl:Math.abs(Math.floor(t.y)%2)===1?t.y=Math.ceil(t.y)-t.y:t.y=t.y-Math.floor(t.y);break}return this.flipY&&(t.y=1-t.y),t}set needsUpdate(t){t===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(t){t===!0&&this.pmremVersion++}};Gn.DEFAULT_IMAGE=null;Gn.DEFAULT_MAPPING=Qh;Gn.DEFAULT_ANISOTROPY=1;var We=class{static{this.prototype.isVector4=!0}constructor(t=0,e=0,n=0,s=1){this.x=t,this.y=e,this.z=n,this.w=s}get width(){return this.z}set width(t){this.z=t}get height(){return this.w}set height(t){this.w=t}set(t,e,n,s){return this.x=t,this.y=e,this.z=n,this.w=s,this}setScalar(t){return this.x=t,this.y=t,this.z=t,this.w=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setZ(t){return this.z=t,this}setW(t){return this.w=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;case 2:this.z=e;break;case 3:this.w=e;break;default:throw new Error("THREE.Vector4: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("THREE.Vector4: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(t){return this.x=t.x,this.y=t.y,this.z=t.z,this.w=t.w!==void 0?t.w:1,this}add(t){return this.x+=t.x,this.y+=t.y,this.z+=t.z,this.w+=t.w,this}addScalar(t){return this.x+=t,this.y+=t,this.z+=t,this.w+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this.z=t.z+e.z,this.w=t.w+e.w,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this.z+=t.z*e,this.w+=t.w*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this.z-=t.z,this.w-=t.w,this}subScalar(t){return this.x-=t,this.y-=t,this.z-=t,this.w-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this.z=t.z-e.z,this.w=t.w-e.w,this}multiply(t){return this.x*=t.x,this.y*=t.y,this.z*=t.z,this.w*=t.w,this}multiplyScalar(t){return this.x*=t,this.y*=t,this.z*=t,this.w*=t,this}applyMatrix4(t){let e=this.x,n=this.y,s=this.z,r=this.w,a=t.elements;return this.x=a[0]*e+a[4]*n+a[8]*s+a[12]*r,this.y=a[1]*e+a[5]*n+a[9]*s+a[13]*r,this.z=a[2]*e+a[6]*n+a[10]*s+a[14]*r,this.w=a[3]*e+a[7]*n+a[11]*s+a[15]*r,this}divide(t){return this.x/=t.x,this.y/=t.y,this.z/=t.z,this.w/=t.w,this}divideScalar(t){return this.multiplyScalar(1/t)}setAxisAngleFromQuaternion(t){this.w=2*Math.acos(t.w);let e=Math.sqrt(1-t.w*t.w);return e<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=t.x/e,this.y=t.y/e,this.z=t.z/e),this}setAxisAngleFromRotationMatrix(t){let e,n,s,r,l=t.elements,c=l[0],u=l[4],d=l[8],h=l[1],f=l[5],p=l[9],_=l[2],g=l[6],m=l[10];if(Math.abs(u-h)<.01&&Math.abs(d-_)<.01&&Math.abs(p-g)<.01){if(Math.abs(u+h)<.1&&Math.abs(d+_)<.1&&Math.abs(p+g)<.1&&Math.abs(c+f+m-3)<.1)return this.set(1,0,0,0),this;e=Math.PI;let A=(c+1)/2,M=(f+1)/2,R=(m+1)/2,T=(u+h)/4,x=(d+_)/4,E=(p+g)/4;return A>M&&A>R?A<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(A),s=T/n,r=x/n):M>R?M<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(M),n=T/s,r=E/s):R<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(R),n=x/r,s=E/r),this.set(n,s,r,e),this}let v=Math.sqrt((g-p)*(g-p)+(d-_)*(d-_)+(h-u)*(h-u));return Math.abs(v)<.001&&(v=1),this.x=(g-p)/v,this.y=(d-_)/v,this.z=(h-u)/v,this.w=Math.acos((c+f+m-1)/2),this}setFromMatrixPosition(t){let e=t.elements;return this.x=e[12],this.y=e[13],this.z=e[14],this.w=e[15],this}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this.z=Math.min(this.z,t.z),this.w=Math.min(this.w,t.w),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this.z=Math.max(this.z,t.z),this.w=Math.max(this.w,t.w),this}clamp(t,e){return this.x=fe(this.x,t.x,e.x),this.y=fe(this.y,t.y,e.y),this.z=fe(this.z,t.z,e.z),this.w=fe(this.w,t.w,e.w),this}clampScalar(t,e){return this.x=fe(this.x,t,e),this.y=fe(this.y,t,e),this.z=fe(this.z,t,e),this.w=fe(this.w,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(fe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(t){return this.x*t.x+this.y*t.y+this.z*t.z+this.w*t.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this.z+=(t.z-this.z)*e,this.w+=(t.w-this.w)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this.z=t.z+(e.z-t.z)*n,this.w=t.w+(e.w-t.w)*n,this}equals(t){return t.x===this.x&&t.y===this.y&&t.z===this.z&&t.w===this.w}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this.z=t[e+2],this.w=t[e+3],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t[e+2]=this.z,t[e+3]=this.w,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this.z=t.getZ(e),this.w=t.getW(e),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}},_l=class extends vi{constructor(t=1,e=1,n={}){super(),n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:kn,depthBuffer:!0,stencilBuffer:!1,resolveColorBuffer:!0,resolveDepthBuffer:!0,resolveStencilBuffer:!0,storeMultisampledColorBuffer:!0,storeMultisampledDepthBuffer:!0,storeMultisampledStencilBuffer:!0,depthTexture:null,samples:0,count:1,depth:1,multiview:!1,useArrayDepthTexture:!1},n),this.isRenderTarget=!0,this.width=t,this.height=e,this.depth=n.depth,this.scissor=new We(0,0,t,e),this.scissorTest=!1,this.viewport=new We(0,0,t,e),this.textures=[];let s=n.count;for(let r=0;r<s;r++)this.textures[r]=new Gn({width:t,height:e,depth:n.depth}),this.textures[r].isRenderTargetTexture=!0,this.textures[r].renderTarget=this;this._setTextureOptions(n),this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveColorBuffer=n.resolveColorBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.storeMultisampledColorBuffer=n.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=n.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=n.storeMultisampledStencilBuffer,this._depthTexture=null,this.depthTexture=n.depthTexture,this.samples=n.samples,this.multiview=n.multiview,this.useArrayDepthTexture=n.useArrayDepthTexture}_setTextureOptions(t={}){let e={minFilter:kn,generateMipmaps:!1,flipY:!1,internalFormat:null};t.mapping!==void 0&&(e.mapping=t.mapping),t.wrapS!==void 0&&(e.wrapS=t.wrapS),t.wrapT!==void 0&&(e.wrapT=t.wrapT),t.wrapR!==void 0&&(e.wrapR=t.wrapR),t.magFilter!==void 0&&(e.magFilter=t.magFilter),t.minFilter!==void 0&&(e.minFilter=t.minFilter),t.format!==void 0&&(e.format=t.format),t.type!==void 0&&(e.type=t.type),t.anisotropy!==void 0&&(e.anisotropy=t.anisotropy),t.colorSpace!==void 0&&(e.colorSpace=t.colorSpace),t.flipY!==void 0&&(e.flipY=t.flipY),t.generateMipmaps!==void 0&&(e.generateMipmaps=t.generateMipmaps),t.mipmapsAutoUpdate!==void 0&&(e.mipmapsAutoUpdate=t.mipmapsAutoUpdate),t.internalFormat!==void 0&&(e.internalFormat=t.internalFormat);for(let n=0;n<this.textures.length;n++)this.textures[n].setValues(e)}get texture(){return this.textures[0]}set texture(t){this.textures[0]=t}set depthTexture(t){this._depthTexture!==null&&this._depthTexture.renderTarget===this&&(this._depthTexture.renderTarget=null),t!==null&&t.renderTarget===null&&(t.renderTarget=this),this._depthTexture=t}get depthTexture(){return this._depthTexture}setSize(t,e,n=1){if(this.width!==t||this.height!==e||this.depth!==n){this.width=t,this.height=e,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=t,this.textures[s].image.height=e,this.textures[s].image.depth=n,this.textures[s].isData3DTexture!==!0&&(this.textures[s].isArrayTexture=this.textures[s].image.depth>1);this.dispose()}this.viewport.set(0,0,t,e),this.scissor.set(0,0,t,e)}clone(){return new this.constructor().copy(this)}copy(t){this.width=t.width,this.height=t.height,this.depth=t.depth,this.scissor.copy(t.scissor),this.scissorTest=t.scissorTest,this.viewport.copy(t.viewport),this.textures.length=0;for(let e=0,n=t.textures.length;e<n;e++){this.textures[e]=t.textures[e].clone(),this.textures[e].isRenderTargetTexture=!0,this.textures[e].renderTarget=this;let s=Object.assign({},t.textures[e].image);this.textures[e].source=new zr(s)}if(this.depthBuffer=t.depthBuffer,this.stencilBuffer=t.stencilBuffer,this.resolveColorBuffer=t.resolveColorBuffer,this.resolveDepthBuffer=t.resolveDepthBuffer,this.resolveStencilBuffer=t.resolveStencilBuffer,this.storeMultisampledColorBuffer=t.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=t.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=t.storeMultisampledStencilBuffer,t.depthTexture!==null)if(t.depthTexture.renderTarget===t){let e=t.depthTexture.clone();e.renderTarget=null,this.depthTexture=e}else this.depthTexture=t.depthTexture;else this.depthTexture=null;return this.samples=t.samples,this.multiview=t.multiview,this.useArrayDepthTexture=t.useArrayDepthTexture,this}dispose(){this.dispatchEvent({type:"dispose"})}},ei=class extends _l{constructor(t=1,e=1,n={}){super(t,e,n),this.isWebGLRenderTarget=!0}},Oa=class extends Gn{constructor(t=null,e=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:t,width:e,height:n,depth:s},this.magFilter=wn,this.minFilter=wn,this.wrapR=Fi,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1,this.layerUpdates=new Set}copy(t){return super.copy(t),this.wrapR=t.wrapR,this}addLayerUpdate(t){this.layerUpdates.add(t)}clearLayerUpdates(){this.layerUpdates.clear()}};var xl=class extends Gn{constructor(t=null,e=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:t,width:e,height:n,depth:s},this.magFilter=wn,this.minFilter=wn,this.wrapR=Fi,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}copy(t){return super.copy(t),this.wrapR=t.wrapR,this}};var ye=class i{static{this.prototype.isMatrix4=!0}constructor(t,e,n,s,r,a,o,l,c,u,d,h,f,p,_,g){this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],t!==void 0&&this.set(t,e,n,s,r,a,o,l,c,u,d,h,f,p,_,g)}set(t,e,n,s,r,a,o,l,c,u,d,h,f,p,_,g){let m=this.elements;return m[0]=t,m[4]=e,m[8]=n,m[12]=s,m[1]=r,m[5]=a,m[9]=o,m[13]=l,m[2]=c,m[6]=u,m[10]=d,m[14]=h,m[3]=f,m[7]=p,m[11]=_,m[15]=g,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new i().fromArray(this.elements)}copy(t){let e=this.elements,n=t.elements;return e[0]=n[0],e[1]=n[1],e[2]=n[2],e[3]=n[3],e[4]=n[4],e[5]=n[5],e[6]=n[6],e[7]=n[7],e[8]=n[8],e[9]=n[9],e[10]=n[10],e[11]=n[11],e[12]=n[12],e[13]=n[13],e[14]=n[14],e[15]=n[15],this}copyPosition(t){let e=this.elements,n=t.elements;return e[12]=n[12],e[13]=n[13],e[14]=n[14],this}setFromMatrix3(t){let e=t.elements;return this.set(e[0],e[3],e[6],0,e[1],e[4],e[7],0,e[2],e[5],e[8],0,0,0,0,1),this}extractBasis(t,e,n){return this.determinantAffine()===0?(t.set(1,0,0),e.set(0,1,0),n.set(0,0,1),this):(t.setFromMatrixColumn(this,0),e.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this)}makeBasis(t,e,n){return this.set(t.x,e.x,n.x,0,t.y,e.y,n.y,0,t.z,e.z,n.z,0,0,0,0,1),this}extractRotation(t){if(t.determinantAffine()===0)return this.identity();let e=this.elements,n=t.elements,s=1/Sr.setFromMatrixColumn(t,0).length(),r=1/Sr.setFromMatrixColumn(t,1).length(),a=1/Sr.setFromMatrixColumn(t,2).length();return e[0]=n[0]*s,e[1]=n[1]*s,e[2]=n[2]*s,e[3]=0,e[4]=n[4]*r,e[5]=n[5]*r,e[6]=n[6]*r,e[7]=0,e[8]=n[8]*a,e[9]=n[9]*a,e[10]=n[10]*a,e[11]=0,e[12]=0,e[13]=0,e[14]=0,e[15]=1,this}makeRotationFromEuler(t){let e=this.elements,n=t.x,s=t.y,r=t.z,a=Math.cos(n),o=Math.sin(n),l=Math.cos(s),c=Math.sin(s),u=Math.cos(r),d=Math.sin(r);if(t.order==="XYZ"){let h=a*u,f=a*d,p=o*u,_=o*d;e[0]=l*u,e[4]=-l*d,e[8]=c,e[1]=f+p*c,e[5]=h-_*c,e[9]=-o*l,e[2]=_-h*c,e[6]=p+f*c,e[10]=a*l}else if(t.order==="YXZ"){let h=l*u,f=l*d,p=c*u,_=c*d;e[0]=h+_*o,e[4]=p*o-f,e[8]=a*c,e[1]=a*d,e[5]=a*u,e[9]=-o,e[2]=f*o-p,e[6]=_+h*o,e[10]=a*l}else if(t.order==="ZXY"){let h=l*u,f=l*d,p=c*u,_=c*d;e[0]=h-_*o,e[4]=-a*d,e[8]=p+f*o,e[1]=f+p*o,e[5]=a*u,e[9]=_-h*o,e[2]=-a*c,e[6]=o,e[10]=a*l}else if(t.order==="ZYX"){let h=a*u,f=a*d,p=o*u,_=o*d;e[0]=l*u,e[4]=p*c-f,e[8]=h*c+_,e[1]=l*d,e[5]=_*c+h,e[9]=f*c-p,e[2]=-c,e[6]=o*l,e[10]=a*l}else if(t.order==="YZX"){let h=a*l,f=a*c,p=o*l,_=o*c;e[0]=l*u,e[4]=_-h*d,e[8]=p*d+f,e[1]=d,e[5]=a*u,e[9]=-o*u,e[2]=-c*u,e[6]=f*d+p,e[10]=h-_*d}else if(t.order==="XZY"){let h=a*l,f=a*c,p=o*l,_=o*c;e[0]=l*u,e[4]=-d,e[8]=c*u,e[1]=h*d+_,e[5]=a*u,e[9]=f*d-p,e[2]=p*d-f,e[6]=o*u,e[10]=_*d+h}return e[3]=0,e[7]=0,e[11]=0,e[12]=0,e[13]=0,e[14]=0,e[15]=1,this}makeRotationFromQuaternion(t){return this.compose(g0,t,_0)}lookAt(t,e,n){let s=this.elements;return Kn.subVectors(t,e),Kn.lengthSq()===0&&(Kn.z=1),Kn.normalize(),vs.crossVectors(n,Kn),vs.lengthSq()===0&&(Math.abs(n.z)===1?Kn.x+=1e-4:Kn.z+=1e-4,Kn.normalize(),vs.crossVectors(n,Kn)),vs.normalize(),Do.crossVectors(Kn,vs),s[0]=vs.x,s[4]=Do.x,s[8]=Kn.x,s[1]=vs.y,s[5]=Do.y,s[9]=Kn.y,s[2]=vs.z,s[6]=Do.z,s[10]=Kn.z,this}multiply(t){return this.multiplyMatrices(this,t)}premultiply(t){return this.multiplyMatrices(t,this)}multiplyMatrices(t,e){let n=t.elements,s=e.elements,r=this.elements,a=n[0],o=n[4],l=n[8],c=n[12],u=n[1],d=n[5],h=n[9],f=n[13],p=n[2],_=n[6],g=n[10],m=n[14],v=n[3],A=n[7],M=n[11],R=n[15],T=s[0],x=s[4],E=s[8],O=s[12],N=s[1],D=s[5],z=s[9],G=s[13],L=s[2],H=s[6],Y=s[10],V=s[14],lt=s[3],J=s[7],j=s[11],it=s[15];return r[0]=a*T+o*N+l*L+c*lt,r[4]=a*x+o*D+l*H+c*J,r[8]=a*E+o*z+l*Y+c*j,r[12]=a*O+o*G+l*V+c*it,r[1]=u*T+d*N+h*L+f*lt,r[5]=u*x+d*D+h*H+f*J,r[9]=u*E+d*z+h*Y+f*j,r[13]=u*O+d*G+h*V+f*it,r[2]=p*T+_*N+g*L+m*lt,r[6]=p*x+_*D+g*H+m*J,r[10]=p*E+_*z+g*Y+m*j,r[14]=p*O+_*G+g*V+m*it,r[3]=v*T+A*N+M*L+R*lt,r[7]=v*x+A*D+M*H+R*J,r[11]=v*E+A*z+M*Y+R*j,r[15]=v*O+A*G+M*V+R*it,this}multiplyScalar(t){let e=this.elements;return e[0]*=t,e[4]*=t,e[8]*=t,e[12]*=t,e[1]*=t,e[5]*=t,e[9]*=t,e[13]*=t,e[2]*=t,e[6]*=t,e[10]*=t,e[14]*=t,e[3]*=t,e[7]*=t,e[11]*=t,e[15]*=t,this}determinant(){let t=this.elements,e=t[0],n=t[4],s=t[8],r=t[12],a=t[1],o=t[5],l=t[9],c=t[13],u=t[2],d=t[6],h=t[10],f=t[14],p=t[3],_=t[7],g=t[11],m=t[15],v=l*f-c*h,A=o*f-c*d,M=o*h-l*d,R=a*f-c*u,T=a*h-l*u,x=a*d-o*u;return e*(_*v-g*A+m*M)-n*(p*v-g*R+m*T)+s*(p*A-_*R+m*x)-r*(p*M-_*T+g*x)}determinantAffine(){let t=this.elements,e=t[0],n=t[4],s=t[8],r=t[1],a=t[5],o=t[9],l=t[2],c=t[6],u=t[10];return e*(a*u-o*c)-n*(r*u-o*l)+s*(r*c-a*l)}transpose(){let t=this.elements,e;return e=t[1],t[1]=t[4],t[4]=e,e=t[2],t[2]=t[8],t[8]=e,e=t[6],t[6]=t[9],t[9]=e,e=t[3],t[3]=t[12],t[12]=e,e=t[7],t[7]=t[13],t[13]=e,e=t[11],t[11]=t[14],t[14]=e,this}setPosition(t,e,n){let s=this.elements;return t.isVector3?(s[12]=t.x,s[13]=t.y,s[14]=t.z):(s[12]=t,s[13]=e,s[14]=n),this}invert(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],a=t[4],o=t[5],l=t[6],c=t[7],u=t[8],d=t[9],h=t[10],f=t[11],p=t[12],_=t[13],g=t[14],m=t[15],v=e*o-n*a,A=e*l-s*a,M=e*c-r*a,R=n*l-s*o,T=n*c-r*o,x=s*c-r*l,E=u*_-d*p,O=u*g-h*p,N=u*m-f*p,D=d*g-h*_,z=d*m-f*_,G=h*m-f*g,L=v*G-A*z+M*D+R*N-T*O+x*E;if(L===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);let H=1/L;return t[0]=(o*G-l*z+c*D)*H,t[1]=(s*z-n*G-r*D)*H,t[2]=(_*x-g*T+m*R)*H,t[3]=(h*T-d*x-f*R)*H,t[4]=(l*N-a*G-c*O)*H,t[5]=(e*G-s*N+r*O)*H,t[6]=(g*M-p*x-m*A)*H,t[7]=(u*x-h*M+f*A)*H,t[8]=(a*z-o*N+c*E)*H,t[9]=(n*N-e*z-r*E)*H,t[10]=(p*T-_*M+m*v)*H,t[11]=(d*M-u*T-f*v)*H,t[12]=(o*O-a*D-l*E)*H,t[13]=(e*D-n*O+s*E)*H,t[14]=(_*A-p*R-g*v)*H,t[15]=(u*R-d*A+h*v)*H,this}scale(t){let e=this.elements,n=t.x,s=t.y,r=t.z;return e[0]*=n,e[4]*=s,e[8]*=r,e[1]*=n,e[5]*=s,e[9]*=r,e[2]*=n,e[6]*=s,e[10]*=r,e[3]*=n,e[7]*=s,e[11]*=r,this}getMaxScaleOnAxis(){let t=this.elements,e=t[0]*t[0]+t[1]*t[1]+t[2]*t[2],n=t[4]*t[4]+t[5]*t[5]+t[6]*t[6],s=t[8]*t[8]+t[9]*t[9]+t[10]*t[10];return Math.sqrt(Math.max(e,n,s))}makeTranslation(t,e,n){return t.isVector3?this.set(1,0,0,t.x,0,1,0,t.y,0,0,1,t.z,0,0,0,1):this.set(1,0,0,t,0,1,0,e,0,0,1,n,0,0,0,1),this}makeRotationX(t){let e=Math.cos(t),n=Math.sin(t);return this.set(1,0,0,0,0,e,-n,0,0,n,e,0,0,0,0,1),this}makeRotationY(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,0,n,0,0,1,0,0,-n,0,e,0,0,0,0,1),this}makeRotationZ(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,-n,0,0,n,e,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(t,e){let n=Math.cos(e),s=Math.sin(e),r=1-n,a=t.x,o=t.y,l=t.z,c=r*a,u=r*o;return this.set(c*a+n,c*o-s*l,c*l+s*o,0,c*o+s*l,u*o+n,u*l-s*a,0,c*l-s*o,u*l+s*a,r*l*l+n,0,0,0,0,1),this}makeScale(t,e,n){return this.set(t,0,0,0,0,e,0,0,0,0,n,0,0,0,0,1),this}makeShear(t,e,n,s,r,a){return this.set(1,n,r,0,t,1,a,0,e,s,1,0,0,0,0,1),this}compose(t,e,n){let s=this.elements,r=e._x,a=e._y,o=e._z,l=e._w,c=r+r,u=a+a,d=o+o,h=r*c,f=r*u,p=r*d,_=a*u,g=a*d,m=o*d,v=l*c,A=l*u,M=l*d,R=n.x,T=n.y,x=n.z;return s[0]=(1-(_+m))*R,s[1]=(f+M)*R,s[2]=(p-A)*R,s[3]=0,s[4]=(f-M)*T,s[5]=(1-(h+m))*T,s[6]=(g+v)*T,s[7]=0,s[8]=(p+A)*x,s[9]=(g-v)*x,s[10]=(1-(h+_))*x,s[11]=0,s[12]=t.x,s[13]=t.y,s[14]=t.z,s[15]=1,this}decompose(t,e,n){let s=this.elements;t.x=s[12],t.y=s[13],t.z=s[14];let r=this.determinantAffine();if(r===0)return n.set(1,1,1),e.identity(),this;let a=Sr.set(s[0],s[1],s[2]).length(),o=Sr.set(s[4],s[5],s[6]).length(),l=Sr.set(s[8],s[9],s[10]).length();r<0&&(a=-a),_i.copy(this);let c=1/a,u=1/o,d=1/l;return _i.elements[0]*=c,_i.elements[1]*=c,_i.elements[2]*=c,_i.elements[4]*=u,_i.elements[5]*=u,_i.elements[6]*=u,_i.elements[8]*=d,_i.elements[9]*=d,_i.elements[10]*=d,e.setFromRotationMatrix(_i),n.x=a,n.y=o,n.z=l,this}makePerspective(t,e,n,s,r,a,o=hi,l=!1){let c=this.elements,u=2*r/(e-t),d=2*r/(n-s),h=(e+t)/(e-t),f=(n+s)/(n-s),p,_;if(l)p=r/(a-r),_=a*r/(a-r);else if(o===hi)p=-(a+r)/(a-r),_=-2*a*r/(a-r);else if(o===Fr)p=-a/(a-r),_=-a*r/(a-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+o);return c[0]=u,c[4]=0,c[8]=h,c[12]=0,c[1]=0,c[5]=d,c[9]=f,c[13]=0,c[2]=0,c[6]=0,c[10]=p,c[14]=_,c[3]=0,c[7]=0,c[11]=-1,c[15]=0,this}makeOrthographic(t,e,n,s,r,a,o=hi,l=!1){let c=this.elements,u=2/(e-t),d=2/(n-s),h=-(e+t)/(e-t),f=-(n+s)/(n-s),p,_;if(l)p=1/(a-r),_=a/(a-r);else if(o===hi)p=-2/(a-r),_=-(a+r)/(a-r);else if(o===Fr)p=-1/(a-r),_=-r/(a-r);else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+o);return c[0]=u,c[4]=0,c[8]=0,c[12]=h,c[1]=0,c[5]=d,c[9]=0,c[13]=f,c[2]=0,c[6]=0,c[10]=p,c[14]=_,c[3]=0,c[7]=0,c[11]=0,c[15]=1,this}equals(t){let e=this.elements,n=t.elements;for(let s=0;s<16;s++)if(e[s]!==n[s])return!1;return!0}fromArray(t,e=0){for(let n=0;n<16;n++)this.elements[n]=t[n+e];return this}toArray(t=[],e=0){let n=this.elements;return t[e]=n[0],t[e+1]=n[1],t[e+2]=n[2],t[e+3]=n[3],t[e+4]=n[4],t[e+5]=n[5],t[e+6]=n[6],t[e+7]=n[7],t[e+8]=n[8],t[e+9]=n[9],t[e+10]=n[10],t[e+11]=n[11],t[e+12]=n[12],t[e+13]=n[13],t[e+14]=n[14],t[e+15]=n[15],t}},Sr=new W,_i=new ye,g0=new W(0,0,0),_0=new W(1,1,1),vs=new W,Do=new W,Kn=new W,Hd=new ye,Wd=new Vn,rs=class i{constructor(t=0,e=0,n=0,s=i.DEFAULT_ORDER){this.isEuler=!0,this._x=t,this._y=e,this._z=n,this._order=s}get x(){return this._x}set x(t){this._x=t,this._onChangeCallback()}get y(){return this._y}set y(t){this._y=t,this._onChangeCallback()}get z(){return this._z}set z(t){this._z=t,this._onChangeCallback()}get order(){return this._order}set order(t){this._order=t,this._onChangeCallback()}set(t,e,n,s=this._order){return this._x=t,this._y=e,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(t){return this._x=t._x,this._y=t._y,this._z=t._z,this._order=t._order,this._onChangeCallback(),this}setFromRotationMatrix(t,e=this._order,n=!0){let s=t.elements,r=s[0],a=s[4],o=s[8],l=s[1],c=s[5],u=s[9],d=s[2],h=s[6],f=s[10];switch(e){case"XYZ":this._y=Math.asin(fe(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(-u,f),this._z=Math.atan2(-a,r)):(this._x=Math.atan2(h,c),this._z=0);break;case"YXZ":this._x=Math.asin(-fe(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(o,f),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-d,r),this._z=0);break;case"ZXY":this._x=Math.asin(fe(h,-1,1)),Math.abs(h)<.9999999?(this._y=Math.atan2(-d,f),this._z=Math.atan2(-a,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-fe(d,-1,1)),Math.abs(d)<.9999999?(this._x=Math.atan2(h,f),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-a,c));break;case"YZX":this._z=Math.asin(fe(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-u,c),this._y=Math.atan2(-d,r)):(this._x=0,this._y=Math.atan2(o,f));break;case"XZY":this._z=Math.asin(-fe(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(h,c),this._y=Math.atan2(o,r)):(this._x=Math.atan2(-u,f),this._y=0);break;default:qt("Euler: .setFromRotationMatrix() encountered an unknown order: "+e)}return this._order=e,n===!0&&this._onChangeCallback(),this}setFromQuaternion(t,e,n){return Hd.makeRotationFromQuaternion(t),this.setFromRotationMatrix(Hd,e,n)}setFromVector3(t,e=this._order){return this.set(t.x,t.y,t.z,e)}reorder(t){return Wd.setFromEuler(this),this.setFromQuaternion(Wd,t)}equals(t){return t._x===this._x&&t._y===this._y&&t._z===this._z&&t._order===this._order}fromArray(t){return this._x=t[0],this._y=t[1],this._z=t[2],t[3]!==void 0&&(this._order=t[3]),this._onChangeCallback(),this}toArray(t=[],e=0){return t[e]=this._x,t[e+1]=this._y,t[e+2]=this._z,t[e+3]=this._order,t}_onChange(t){return this._onChangeCallback=t,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}};rs.DEFAULT_ORDER="XYZ";var Ba=class{constructor(){this.mask=1}set(t){this.mask=(1<<t|0)>>>0}enable(t){this.mask|=1<<t|0}enableAll(){this.mask=-1}toggle(t){this.mask^=1<<t|0}disable(t){this.mask&=~(1<<t|0)}disableAll(){this.mask=0}test(t){return(this.mask&t.mask)!==0}isEnabled(t){return(this.mask&(1<<t|0))!==0}},x0=0,Xd=new W,Mr=new Vn,ji=new ye,No=new W,ba=new W,y0=new W,v0=new Vn,qd=new W(1,0,0),Yd=new W(0,1,0),Zd=new W(0,0,1),$d={type:"added"},S0={type:"removed"},br={type:"childadded",child:null},mh={type:"childremoved",child:null},En=class i extends vi{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:x0++}),this.uuid=Qr(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=i.DEFAULT_UP.clone();let t=new W,e=new rs,n=new Vn,s=new W(1,1,1);function r(){n.setFromEuler(e,!1)}function a(){e.setFromQuaternion(n,void 0,!1)}e._onChange(r),n._onChange(a),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:t},rotation:{configurable:!0,enumerable:!0,value:e},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new ye},normalMatrix:{value:new ee}}),this.matrix=new ye,this.matrixWorld=new ye,this.matrixAutoUpdate=i.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=i.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new Ba,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.customDepthMaterial=void 0,this.customDistanceMaterial=void 0,this.static=!1,this.userData={},this.pivot=null}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(t){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(t),this.matrix.decompose(this.position,this.quaternion,this.scale),this.pivot!==null&&this.position.copy(this.pivot).applyMatrix4(this.matrix).sub(this.pivot)}applyQuaternion(t){return this.quaternion.premultiply(t),this}setRotationFromAxisAngle(t,e){this.quaternion.setFromAxisAngle(t,e)}setRotationFromEuler(t){this.quaternion.setFromEuler(t,!0)}setRotationFromMatrix(t){this.quaternion.setFromRotationMatrix(t)}setRotationFromQuaternion(t){this.quaternion.copy(t)}rotateOnAxis(t,e){return Mr.setFromAxisAngle(t,e),this.quaternion.multiply(Mr),this}rotateOnWorldAxis(t,e){return Mr.setFromAxisAngle(t,e),this.quaternion.premultiply(Mr),this}rotateX(t){return this.rotateOnAxis(qd,t)}rotateY(t){return this.rotateOnAxis(Yd,t)}rotateZ(t){return this.rotateOnAxis(Zd,t)}translateOnAxis(t,e){return Xd.copy(t).applyQuaternion(this.quaternion),this.position.add(Xd.multiplyScalar(e)),this}translateX(t){return this.translateOnAxis(qd,t)}translateY(t){return this.translateOnAxis(Yd,t)}translateZ(t){return this.translateOnAxis(Zd,t)}localToWorld(t){return this.updateWorldMatrix(!0,!1),t.applyMatrix4(this.matrixWorld)}worldToLocal(t){return this.updateWorldMatrix(!0,!1),t.applyMatrix4(ji.copy(this.matrixWorld).invert())}lookAt(t,e,n){t.isVector3?No.copy(t):No.set(t,e,n);let s=this.parent;this.updateWorldMatrix(!0,!1),ba.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?ji.lookAt(ba,No,this.up):ji.lookAt(No,ba,this.up),this.quaternion.setFromRotationMatrix(ji),s&&(ji.extractRotation(s.matrixWorld),Mr.setFromRotationMatrix(ji),this.quaternion.premultiply(Mr.invert()))}add(t){if(arguments.length>1){for(let e=0;e<arguments.length;e++)this.add(arguments[e]);return this}return t===this?(Qt("Object3D.add: object can't be added as a child of itself.",t),this):(t&&t.isObject3D?(t.removeFromParent(),t.parent=this,this.children.push(t),t.dispatchEvent($d),br.child=t,this.dispatchEvent(br),br.child=null):Qt("Object3D.add: object not an instance of THREE.Object3D.",t),this)}remove(t){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}let e=this.children.indexOf(t);return e!==-1&&(t.parent=null,this.children.splice(e,1),t.dispatchEvent(S0),mh.child=t,this.dispatchEvent(mh),mh.child=null),this}removeFromParent(){let t=this.parent;return t!==null&&t.remove(this),this}clear(){return this.remove(...this.children)}attach(t){return this.updateWorldMatrix(!0,!1),ji.copy(this.matrixWorld).invert(),t.parent!==null&&(t.parent.updateWorldMatrix(!0,!1),ji.multiply(t.parent.matrixWorld)),t.applyMatrix4(ji),t.removeFromParent(),t.parent=this,this.children.push(t),t.updateWorldMatrix(!1,!0),t.dispatchEvent($d),br.child=t,this.dispatchEvent(br),br.child=null,this}getObjectById(t){return this.getObjectByProperty("id",t)}getObjectByName(t){return this.getObjectByProperty("name",t)}getObjectByProperty(t,e){if(this[t]===e)return this;for(let n=0,s=this.children.length;n<s;n++){let a=this.children[n].getObjectByProperty(t,e);if(a!==void 0)return a}}getObjectsByProperty(t,e,n=[]){this[t]===e&&n.push(this);let s=this.children;for(let r=0,a=s.length;r<a;r++)s[r].getObjectsByProperty(t,e,n);return n}getWorldPosition(t){return this.updateWorldMatrix(!0,!1),t.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(t){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(ba,t,y0),t}getWorldScale(t){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(ba,v0,t),t}getWorldDirection(t){this.updateWorldMatrix(!0,!1);let e=this.matrixWorld.elements;return t.set(e[8],e[9],e[10]).normalize()}raycast(){}intersectsFrustum(){return!0}traverse(t){t(this);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].traverse(t)}traverseVisible(t){if(this.visible===!1)return;t(this);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].traverseVisible(t)}traverseAncestors(t){let e=this.parent;e!==null&&(t(e),e.traverseAncestors(t))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale);let t=this.pivot;if(t!==null){let e=t.x,n=t.y,s=t.z,r=this.matrix.elements;r[12]+=e-r[0]*e-r[4]*n-r[8]*s,r[13]+=n-r[1]*e-r[5]*n-r[9]*s,r[14]+=s-r[2]*e-r[6]*n-r[10]*s}this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(t){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||t)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,t=!0);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].updateMatrixWorld(t)}updateWorldMatrix(t,e,n=!1){let s=this.parent;if(t===!0&&s!==null&&s.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||n)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,n=!0),e===!0){let r=this.children;for(let a=0,o=r.length;a<o;a++)r[a].updateWorldMatrix(!1,!0,n)}}toJSON(t){let e=t===void 0||typeof t=="string",n={};e&&(t={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.7,type:"Object",generator:"Object3D.toJSON"});let s={};s.uuid=this.uuid,s.type=this.type,s.name=this.name,s.castShadow=this.castShadow,s.receiveShadow=this.receiveShadow,s.visible=this.visible,s.frustumCulled=this.frustumCulled,s.renderOrder=this.renderOrder,s.static=this.static,s.matrixAutoUpdate=this.matrixAutoUpdate,Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.pivot!==null&&(s.pivot=this.pivot.toArray()),this.morphTargetDictionary!==void 0&&(s.morphTargetDictionary=Object.assign({},this.morphTargetDictionary)),this.morphTargetInfluences!==void 0&&(s.morphTargetInfluences=this.morphTargetInfluences.slice()),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.geometryInfo=this._geometryInfo.map(o=>({...o,boundingBox:o.boundingBox?o.boundingBox.toJSON():void 0,boundingSphere:o.boundingSphere?o.boundingSphere.toJSON():void 0})),s.instanceInfo=this._instanceInfo.map(o=>({...o})),s.availableInstanceIds=this._availableInstanceIds.slice(),s.availableGeometryIds=this._availableGeometryIds.slice(),s.nextIndexStart=this._nextIndexStart,s.nextVertexStart=this._nextVertexStart,s.geometryCount=this._geometryCount,s.maxInstanceCount=this._maxInstanceCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.matricesTexture=this._matricesTexture.toJSON(t),s.indirectTexture=this._indirectTexture.toJSON(t),this._colorsTexture!==null&&(s.colorsTexture=this._colorsTexture.toJSON(t)),this.boundingSphere!==null&&(s.boundingSphere=this.boundingSphere.toJSON()),this.boundingBox!==null&&(s.boundingBox=this.boundingBox.toJSON()));function r(o,l){return o[l.uuid]===void 0&&(o[l.uuid]=l.toJSON(t)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(t).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(t).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(t.geometries,this.geometry);let o=this.geometry.parameters;if(o!==void 0&&o.shapes!==void 0){let l=o.shapes;if(Array.isArray(l))for(let c=0,u=l.length;c<u;c++){let d=l[c];r(t.shapes,d)}else r(t.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(t.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){let o=[];for(let l=0,c=this.material.length;l<c;l++)o.push(r(t.materials,this.material[l]));s.material=o}else s.material=r(t.materials,this.material);if(this.children.length>0){s.children=[];for(let o=0;o<this.children.length;o++)s.children.push(this.children[o].toJSON(t).object)}if(this.animations.length>0){s.animations=[];for(let o=0;o<this.animations.length;o++){let l=this.animations[o];s.animations.push(r(t.animations,l))}}if(e){let o=a(t.geometries),l=a(t.materials),c=a(t.textures),u=a(t.images),d=a(t.shapes),h=a(t.skeletons),f=a(t.animations),p=a(t.nodes);o.length>0&&(n.geometries=o),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),u.length>0&&(n.images=u),d.length>0&&(n.shapes=d),h.length>0&&(n.skeletons=h),f.length>0&&(n.animations=f),p.length>0&&(n.nodes=p)}return n.object=s,n;function a(o){let l=[];for(let c in o){let u=o[c];delete u.metadata,l.push(u)}return l}}clone(t){return new this.constructor().copy(this,t)}copy(t,e=!0){if(this.name=t.name,this.up.copy(t.up),this.position.copy(t.position),this.rotation.order=t.rotation.order,this.quaternion.copy(t.quaternion),this.scale.copy(t.scale),this.pivot=t.pivot!==null?t.pivot.clone():null,this.matrix.copy(t.matrix),this.matrixWorld.copy(t.matrixWorld),this.matrixAutoUpdate=t.matrixAutoUpdate,this.matrixWorldAutoUpdate=t.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=t.matrixWorldNeedsUpdate,this.layers.mask=t.layers.mask,this.visible=t.visible,this.castShadow=t.castShadow,this.receiveShadow=t.receiveShadow,this.frustumCulled=t.frustumCulled,this.renderOrder=t.renderOrder,this.static=t.static,this.animations=t.animations.slice(),this.userData=JSON.parse(JSON.stringify(t.userData)),e===!0)for(let n=0;n<t.children.length;n++){let s=t.children[n];this.add(s.clone())}return this}dispose(){this.dispatchEvent({type:"dispose"})}};En.DEFAULT_UP=new W(0,1,0);En.DEFAULT_MATRIX_AUTO_UPDATE=!0;En.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;var Oi=class extends En{constructor(){super(),this.isGroup=!0,this.type="Group"}},M0={type:"move"},kr=class{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new Oi,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new Oi,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new W,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new W),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new Oi,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new W,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new W,this._grip.eventsEnabled=!1),this._grip}dispatchEvent(t){return this._targetRay!==null&&this._targetRay.dispatchEvent(t),this._grip!==null&&this._grip.dispatchEvent(t),this._hand!==null&&this._hand.dispatchEvent(t),this}connect(t){if(t&&t.hand){let e=this._hand;if(e)for(let n of t.hand.values())this._getHandJoint(e,n)}return this.dispatchEvent({type:"connected",data:t}),this}disconnect(t){return this.dispatchEvent({type:"disconnected",data:t}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(t,e,n){let s=null,r=null,a=null,o=this._targetRay,l=this._grip,c=this._hand;if(t&&e.session.visibilityState!=="visible-blurred"){if(c&&t.hand){a=!0;for(let _ of t.hand.values()){let g=e.getJointPose(_,n),m=this._getHandJoint(c,_);g!==null&&(m.matrix.fromArray(g.transform.matrix),m.matrix.decompose(m.position,m.quaternion,m.scale),m.matrixWorldNeedsUpdate=!0,m.jointRadius=g.radius),m.visible=g!==null}let u=c.joints["index-finger-tip"],d=c.joints["thumb-tip"],h=u.position.distanceTo(d.position),f=.02,p=.005;c.inputState.pinching&&h>f+p?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:t.handedness,target:this})):!c.inputState.pinching&&h<=f-p&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:t.handedness,target:this}))}else l!==null&&t.gripSpace&&(r=e.getPose(t.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.quaternion,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1,l.eventsEnabled&&l.dispatchEvent({type:"gripUpdated",data:t,target:this})));o!==null&&(s=e.getPose(t.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(o.matrix.fromArray(s.transform.matrix),o.matrix.decompose(o.position,o.quaternion,o.scale),o.matrixWorldNeedsUpdate=!0,s.linearVelocity?(o.hasLinearVelocity=!0,o.linearVelocity.copy(s.linearVelocity)):o.hasLinearVelocity=!1,s.angularVelocity?(o.hasAngularVelocity=!0,o.angularVelocity.copy(s.angularVelocity)):o.hasAngularVelocity=!1,this.dispatchEvent(M0)))}return o!==null&&(o.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=a!==null),this}_getHandJoint(t,e){if(t.joints[e.jointName]===void 0){let n=new Oi;n.matrixAutoUpdate=!1,n.visible=!1,t.joints[e.jointName]=n,t.add(n)}return t.joints[e.jointName]}},np={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},Ss={h:0,s:0,l:0},Uo={h:0,s:0,l:0};function gh(i,t,e){return e<0&&(e+=1),e>1&&(e-=1),e<1/6?i+(t-i)*6*e:e<1/2?t:e<2/3?i+(t-i)*6*(2/3-e):i}var te=class{constructor(t,e,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(t,e,n)}set(t,e,n){if(e===void 0&&n===void 0){let s=t;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(t,e,n);return this}setScalar(t){return this.r=t,this.g=t,this.b=t,this}setHex(t,e=Qn){return t=Math.floor(t),this.r=(t>>16&255)/255,this.g=(t>>8&255)/255,this.b=(t&255)/255,ge.colorSpaceToWorking(this,e),this}setRGB(t,e,n,s=ge.workingColorSpace){return this.r=t,this.g=e,this.b=n,ge.colorSpaceToWorking(this,s),this}setHSL(t,e,n,s=ge.workingColorSpace){if(t=du(t,1),e=fe(e,0,1),n=fe(n,0,1),e===0)this.r=this.g=this.b=n;else{let r=n<=.5?n*(1+e):n+e-n*e,a=2*n-r;this.r=gh(a,r,t+1/3),this.g=gh(a,r,t),this.b=gh(a,r,t-1/3)}return ge.colorSpaceToWorking(this,s),this}setStyle(t,e=Qn){function n(r){r!==void 0&&parseFloat(r)<1&&qt("Color: Alpha component of "+t+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(t)){let r,a=s[1],o=s[2];switch(a){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(o))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,e);if(r=/^\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(o))return n(r[4]),this.setRGB(Math.min(100,parseFloat(r[1]))/100,Math.min(100,parseFloat(r[2]))/100,Math.min(100,parseFloat(r[3]))/100,e);break;case"hsl":case"hsla":if(r=/^\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(o))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,e);break;default:qt("Color: Unknown color model "+t)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(t)){let r=s[1],a=r.length;if(a===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,e);if(a===6)return this.setHex(parseInt(r,16),e);qt("Color: Invalid hex color "+t)}else if(t&&t.length>0)return this.setColorName(t,e);return this}setColorName(t,e=Qn){let n=np[t.toLowerCase()];return n!==void 0?this.setHex(n,e):qt("Color: Unknown color "+t),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(t){return this.r=t.r,this.g=t.g,this.b=t.b,this}copySRGBToLinear(t){return this.r=is(t.r),this.g=is(t.g),this.b=is(t.b),this}copyLinearToSRGB(t){return this.r=Nr(t.r),this.g=Nr(t.g),this.b=Nr(t.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(t=Qn){return ge.workingToColorSpace(Ln.copy(this),t),Math.round(fe(Ln.r*255,0,255))*65536+Math.round(fe(Ln.g*255,0,255))*256+Math.round(fe(Ln.b*255,0,255))}getHexString(t=Qn){return("000000"+this.getHex(t).toString(16)).slice(-6)}getHSL(t,e=ge.workingColorSpace){ge.workingToColorSpace(Ln.copy(this),e);let n=Ln.r,s=Ln.g,r=Ln.b,a=Math.max(n,s,r),o=Math.min(n,s,r),l,c,u=(o+a)/2;if(o===a)l=0,c=0;else{let d=a-o;switch(c=u<=.5?d/(a+o):d/(2-a-o),a){case n:l=(s-r)/d+(s<r?6:0);break;case s:l=(r-n)/d+2;break;case r:l=(n-s)/d+4;break}l/=6}return t.h=l,t.s=c,t.l=u,t}getRGB(t,e=ge.workingColorSpace){return ge.workingToColorSpace(Ln.copy(this),e),t.r=Ln.r,t.g=Ln.g,t.b=Ln.b,t}getStyle(t=Qn){ge.workingToColorSpace(Ln.copy(this),t);let e=Ln.r,n=Ln.g,s=Ln.b;return t!==Qn?`color(${t} ${e.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(e*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(t,e,n){return this.getHSL(Ss),this.setHSL(Ss.h+t,Ss.s+e,Ss.l+n)}add(t){return this.r+=t.r,this.g+=t.g,this.b+=t.b,this}addColors(t,e){return this.r=t.r+e.r,this.g=t.g+e.g,this.b=t.b+e.b,this}addScalar(t){return this.r+=t,this.g+=t,this.b+=t,this}sub(t){return this.r=Math.max(0,this.r-t.r),this.g=Math.max(0,this.g-t.g),this.b=Math.max(0,this.b-t.b),this}multiply(t){return this.r*=t.r,this.g*=t.g,this.b*=t.b,this}multiplyScalar(t){return this.r*=t,this.g*=t,this.b*=t,this}lerp(t,e){return this.r+=(t.r-this.r)*e,this.g+=(t.g-this.g)*e,this.b+=(t.b-this.b)*e,this}lerpColors(t,e,n){return this.r=t.r+(e.r-t.r)*n,this.g=t.g+(e.g-t.g)*n,this.b=t.b+(e.b-t.b)*n,this}lerpHSL(t,e){this.getHSL(Ss),t.getHSL(Uo);let n=La(Ss.h,Uo.h,e),s=La(Ss.s,Uo.s,e),r=La(Ss.l,Uo.l,e);return this.setHSL(n,s,r),this}setFromVector3(t){return this.r=t.x,this.g=t.y,this.b=t.z,this}applyMatrix3(t){let e=this.r,n=this.g,s=this.b,r=t.elements;return this.r=r[0]*e+r[3]*n+r[6]*s,this.g=r[1]*e+r[4]*n+r[7]*s,this.b=r[2]*e+r[5]*n+r[8]*s,this}equals(t){return t.r===this.r&&t.g===this.g&&t.b===this.b}fromArray(t,e=0){return this.r=t[e],this.g=t[e+1],this.b=t[e+2],this}toArray(t=[],e=0){return t[e]=this.r,t[e+1]=this.g,t[e+2]=this.b,t}fromBufferAttribute(t,e){return this.r=t.getX(e),this.g=t.getY(e),this.b=t.getZ(e),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}},Ln=new te;te.NAMES=np;var za=class extends En{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new rs,this.environmentIntensity=1,this.environmentRotation=new rs,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(t,e){return super.copy(t,e),this.background=t.background!==null?t.background.clone():null,this.environment=t.environment!==null?t.environment.clone():null,this.fog=t.fog!==null?t.fog.clone():null,this.backgroundBlurriness=t.backgroundBlurriness,this.backgroundIntensity=t.backgroundIntensity,this.backgroundRotation.copy(t.backgroundRotation),this.environmentIntensity=t.environmentIntensity,this.environmentRotation.copy(t.environmentRotation),this.overrideMaterial=t.overrideMaterial!==null?t.overrideMaterial.clone():null,this.matrixAutoUpdate=t.matrixAutoUpdate,this}toJSON(t){let e=super.toJSON(t);return this.fog!==null&&(e.object.fog=this.fog.toJSON()),e.object.backgroundBlurriness=this.backgroundBlurriness,e.object.backgroundIntensity=this.backgroundIntensity,e.object.backgroundRotation=this.backgroundRotation.toArray(),e.object.environmentIntensity=this.environmentIntensity,e.object.environmentRotation=this.environmentRotation.toArray(),e}},xi=new W,Qi=new W,_h=new W,ts=new W,wr=new W,Er=new W,Jd=new W,xh=new W,yh=new W,vh=new W,Sh=new We,Mh=new We,bh=new We,Es=class i{constructor(t=new W,e=new W,n=new W){this.a=t,this.b=e,this.c=n}static getNormal(t,e,n,s){s.subVectors(n,e),xi.subVectors(t,e),s.cross(xi);let r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(t,e,n,s,r){xi.subVectors(s,e),Qi.subVectors(n,e),_h.subVectors(t,e);let a=xi.dot(xi),o=xi.dot(Qi),l=xi.dot(_h),c=Qi.dot(Qi),u=Qi.dot(_h),d=a*c-o*o;if(d===0)return r.set(0,0,0),null;let h=1/d,f=(c*l-o*u)*h,p=(a*u-o*l)*h;return r.set(1-f-p,p,f)}static containsPoint(t,e,n,s){return this.getBarycoord(t,e,n,s,ts)===null?!1:ts.x>=0&&ts.y>=0&&ts.x+ts.y<=1}static getInterpolation(t,e,n,s,r,a,o,l){return this.getBarycoord(t,e,n,s,ts)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,ts.x),l.addScaledVector(a,ts.y),l.addScaledVector(o,ts.z),l)}static getInterpolatedAttribute(t,e,n,s,r,a){return Sh.setScalar(0),Mh.setScalar(0),bh.setScalar(0),Sh.fromBufferAttribute(t,e),Mh.fromBufferAttribute(t,n),bh.fromBufferAttribute(t,s),a.setScalar(0),a.addScaledVector(Sh,r.x),a.addScaledVector(Mh,r.y),a.addScaledVector(bh,r.z),a}static isFrontFacing(t,e,n,s){return xi.subVectors(n,e),Qi.subVectors(t,e),xi.cross(Qi).dot(s)<0}set(t,e,n){return this.a.copy(t),this.b.copy(e),this.c.copy(n),this}setFromPointsAndIndices(t,e,n,s){return this.a.copy(t[e]),this.b.copy(t[n]),this.c.copy(t[s]),this}setFromAttributeAndIndices(t,e,n,s){return this.a.fromBufferAttribute(t,e),this.b.fromBufferAttribute(t,n),this.c.fromBufferAttribute(t,s),this}clone(){return new this.constructor().copy(this)}copy(t){return this.a.copy(t.a),this.b.copy(t.b),this.c.copy(t.c),this}getArea(){return xi.subVectors(this.c,this.b),Qi.subVectors(this.a,this.b),xi.cross(Qi).length()*.5}getMidpoint(t){return t.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(t){return i.getNormal(this.a,this.b,this.c,t)}getPlane(t){return t.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(t,e){return i.getBarycoord(t,this.a,this.b,this.c,e)}getInterpolation(t,e,n,s,r){return i.getInterpolation(t,this.a,this.b,this.c,e,n,s,r)}containsPoint(t){return i.containsPoint(t,this.a,this.b,this.c)}isFrontFacing(t){return i.isFrontFacing(this.a,this.b,this.c,t)}intersectsBox(t){return t.intersectsTriangle(this)}closestPointToPoint(t,e){let n=this.a,s=this.b,r=this.c,a,o;wr.subVectors(s,n),Er.subVectors(r,n),xh.subVectors(t,n);let l=wr.dot(xh),c=Er.dot(xh);if(l<=0&&c<=0)return e.copy(n);yh.subVectors(t,s);let u=wr.dot(yh),d=Er.dot(yh);if(u>=0&&d<=u)return e.copy(s);let h=l*d-u*c;if(h<=0&&l>=0&&u<=0&&l-u>0)return a=l/(l-u),e.copy(n).addScaledVector(wr,a);vh.subVectors(t,r);let f=wr.dot(vh),p=Er.dot(vh);if(p>=0&&f<=p)return e.copy(r);let _=f*c-l*p;if(_<=0&&c>=0&&p<=0)return o=c/(c-p),e.copy(n).addScaledVector(Er,o);let g=u*p-f*d;if(g<=0&&d-u>=0&&f-p>=0)return Jd.subVectors(r,s),o=(d-u)/(d-u+(f-p)),e.copy(s).addScaledVector(Jd,o);let m=1/(g+_+h);return a=_*m,o=h*m,e.copy(n).addScaledVector(wr,a).addScaledVector(Er,o)}equals(t){return t.a.equals(this.a)&&t.b.equals(this.b)&&t.c.equals(this.c)}},Bi=class{constructor(t=new W(1/0,1/0,1/0),e=new W(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=t,this.max=e}set(t,e){return this.min.copy(t),this.max.copy(e),this}setFromArray(t){this.makeEmpty();for(let e=0,n=t.length;e<n;e+=3)this.expandByPoint(yi.fromArray(t,e));return this}setFromBufferAttribute(t){this.makeEmpty();for(let e=0,n=t.count;e<n;e++)this.expandByPoint(yi.fromBufferAttribute(t,e));return this}setFromPoints(t){this.makeEmpty();for(let e=0,n=t.length;e<n;e++)this.expandByPoint(t[e]);return this}setFromCenterAndSize(t,e){let n=yi.copy(e).multiplyScalar(.5);return this.min.copy(t).sub(n),this.max.copy(t).add(n),this}setFromObject(t,e=!1){return this.makeEmpty(),this.expandByObject(t,e)}clone(){return new this.constructor().copy(this)}copy(t){return this.min.copy(t.min),this.max.copy(t.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(t){return this.isEmpty()?t.set(0,0,0):t.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(t){return this.isEmpty()?t.set(0,0,0):t.subVectors(this.max,this.min)}expandByPoint(t){return this.min.min(t),this.max.max(t),this}expandByVector(t){return this.min.sub(t),this.max.add(t),this}expandByScalar(t){return this.min.addScalar(-t),this.max.addScalar(t),this}expandByObject(t,e=!1){t.updateWorldMatrix(!1,!1);let n=t.geometry;if(n!==void 0){let r=n.getAttribute("position");if(e===!0&&r!==void 0&&t.isInstancedMesh!==!0&&t.isBatchedMesh!==!0)for(let a=0,o=r.count;a<o;a++)t.isMesh===!0?t.getVertexPosition(a,yi):yi.fromBufferAttribute(r,a),yi.applyMatrix4(t.matrixWorld),this.expandByPoint(yi);else t.boundingBox!==void 0?(t.boundingBox===null&&t.computeBoundingBox(),Fo.copy(t.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),Fo.copy(n.boundingBox)),Fo.applyMatrix4(t.matrixWorld),this.union(Fo)}let s=t.children;for(let r=0,a=s.length;r<a;r++)this.expandByObject(s[r],e);return this}containsPoint(t){return t.x>=this.min.x&&t.x<=this.max.x&&t.y>=this.min.y&&t.y<=this.max.y&&t.z>=this.min.z&&t.z<=this.max.z}containsBox(t){return this.min.x<=t.min.x&&t.max.x<=this.max.x&&this.min.y<=t.min.y&&t.max.y<=this.max.y&&this.min.z<=t.min.z&&t.max.z<=this.max.z}getParameter(t,e){return e.set((t.x-this.min.x)/(this.max.x-this.min.x),(t.y-this.min.y)/(this.max.y-this.min.y),(t.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(t){return t.max.x>=this.min.x&&t.min.x<=this.max.x&&t.max.y>=this.min.y&&t.min.y<=this.max.y&&t.max.z>=this.min.z&&t.min.z<=this.max.z}intersectsSphere(t){return this.clampPoint(t.center,yi),yi.distanceToSquared(t.center)<=t.radius*t.radius}intersectsPlane(t){let e,n;return t.normal.x>0?(e=t.normal.x*this.min.x,n=t.normal.x*this.max.x):(e=t.normal.x*this.max.x,n=t.normal.x*this.min.x),t.normal.y>0?(e+=t.normal.y*this.min.y,n+=t.normal.y*this.max.y):(e+=t.normal.y*this.max.y,n+=t.normal.y*this.min.y),t.normal.z>0?(e+=t.normal.z*this.min.z,n+=t.normal.z*this.max.z):(e+=t.normal.z*this.max.z,n+=t.normal.z*this.min.z),e<=-t.constant&&n>=-t.constant}intersectsTriangle(t){if(this.isEmpty())return!1;this.getCenter(wa),Oo.subVectors(this.max,wa),Tr.subVectors(t.a,wa),Ar.subVectors(t.b,wa),Rr.subVectors(t.c,wa),Ms.subVectors(Ar,Tr),bs.subVectors(Rr,Ar),Ws.subVectors(Tr,Rr);let e=[0,-Ms.z,Ms.y,0,-bs.z,bs.y,0,-Ws.z,Ws.y,Ms.z,0,-Ms.x,bs.z,0,-bs.x,Ws.z,0,-Ws.x,-Ms.y,Ms.x,0,-bs.y,bs.x,0,-Ws.y,Ws.x,0];return!wh(e,Tr,Ar,Rr,Oo)||(e=[1,0,0,0,1,0,0,0,1],!wh(e,Tr,Ar,Rr,Oo))?!1:(Bo.crossVectors(Ms,bs),e=[Bo.x,Bo.y,Bo.z],wh(e,Tr,Ar,Rr,Oo))}clampPoint(t,e){return e.copy(t).clamp(this.min,this.max)}distanceToPoint(t){return this.clampPoint(t,yi).distanceTo(t)}getBoundingSphere(t){return this.isEmpty()?t.makeEmpty():(this.getCenter(t.center),t.radius=this.getSize(yi).length()*.5),t}intersect(t){return this.min.max(t.min),this.max.min(t.max),this.isEmpty()&&this.makeEmpty(),this}union(t){return this.min.min(t.min),this.max.max(t.max),this}applyMatrix4(t){return this.isEmpty()?this:(es[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(t),es[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(t),es[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(t),es[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(t),es[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(t),es[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(t),es[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(t),es[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(t),this.setFromPoints(es),this)}translate(t){return this.min.add(t),this.max.add(t),this}equals(t){return t.min.equals(this.min)&&t.max.equals(this.max)}toJSON(){return{min:this.min.toArray(),max:this.max.toArray()}}fromJSON(t){return this.min.fromArray(t.min),this.max.fromArray(t.max),this}},es=[new W,new W,new W,new W,new W,new W,new W,new W],yi=new W,Fo=new Bi,Tr=new W,Ar=new W,Rr=new W,Ms=new W,bs=new W,Ws=new W,wa=new W,Oo=new W,Bo=new W,Xs=new W;function wh(i,t,e,n,s){for(let r=0,a=i.length-3;r<=a;r+=3){Xs.fromArray(i,r);let o=s.x*Math.abs(Xs.x)+s.y*Math.abs(Xs.y)+s.z*Math.abs(Xs.z),l=t.dot(Xs),c=e.dot(Xs),u=n.dot(Xs);if(Math.max(-Math.max(l,c,u),Math.min(l,c,u))>o)return!1}return!0}var ln=new W,zo=new Kt,b0=0,Rn=class extends vi{constructor(t,e,n=!1){if(super(),Array.isArray(t))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,Object.defineProperty(this,"id",{value:b0++}),this.name="",this.array=t,this.itemSize=e,this.count=t!==void 0?t.length/e:0,this.normalized=n,this.usage=$f,this.updateRanges=[],this.gpuType=ui,this.version=0,this._normalizationScale=t!==void 0?pu(t):void 0}onUploadCallback(){}set needsUpdate(t){t===!0&&this.version++}setUsage(t){return this.usage=t,this}addUpdateRange(t,e){this.updateRanges.push({start:t,count:e})}clearUpdateRanges(){this.updateRanges.length=0}copy(t){return this.name=t.name,this.array=new t.array.constructor(t.array),this.itemSize=t.itemSize,this.count=t.count,this.normalized=t.normalized,this.usage=t.usage,this.gpuType=t.gpuType,this._normalizationScale=t._normalizationScale,this}copyAt(t,e,n){t*=this.itemSize,n*=e.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[t+s]=e.array[n+s];return this}copyArray(t){return this.array.set(t),this}applyMatrix3(t){if(this.itemSize===2)for(let e=0,n=this.count;e<n;e++)zo.fromBufferAttribute(this,e),zo.applyMatrix3(t),this.setXY(e,zo.x,zo.y);else if(this.itemSize===3)for(let e=0,n=this.count;e<n;e++)ln.fromBufferAttribute(this,e),ln.applyMatrix3(t),this.setXYZ(e,ln.x,ln.y,ln.z);return this}applyMatrix4(t){for(let e=0,n=this.count;e<n;e++)ln.fromBufferAttribute(this,e),ln.applyMatrix4(t),this.setXYZ(e,ln.x,ln.y,ln.z);return this}applyNormalMatrix(t){for(let e=0,n=this.count;e<n;e++)ln.fromBufferAttribute(this,e),ln.applyNormalMatrix(t),this.setXYZ(e,ln.x,ln.y,ln.z);return this}transformDirection(t){for(let e=0,n=this.count;e<n;e++)ln.fromBufferAttribute(this,e),ln.transformDirection(t),this.setXYZ(e,ln.x,ln.y,ln.z);return this}set(t,e=0){return this.array.set(t,e),this}getComponent(t,e){let n=this.array[t*this.itemSize+e];return this.normalized&&(n=this._denormalize(n)),n}setComponent(t,e,n){return this.normalized&&(n=this._normalize(n)),this.array[t*this.itemSize+e]=n,this}getX(t){let e=this.array[t*this.itemSize];return this.normalized&&(e=this._denormalize(e)),e}setX(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize]=e,this}getY(t){let e=this.array[t*this.itemSize+1];return this.normalized&&(e=this._denormalize(e)),e}setY(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+1]=e,this}getZ(t){let e=this.array[t*this.itemSize+2];return this.normalized&&(e=this._denormalize(e)),e}setZ(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+2]=e,this}getW(t){let e=this.array[t*this.itemSize+3];return this.normalized&&(e=this._denormalize(e)),e}setW(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+3]=e,this}setXY(t,e,n){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n)),this.array[t+0]=e,this.array[t+1]=n,this}setXYZ(t,e,n,s){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s)),this.array[t+0]=e,this.array[t+1]=n,this.array[t+2]=s,this}setXYZW(t,e,n,s,r){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s),r=this._normalize(r)),this.array[t+0]=e,this.array[t+1]=n,this.array[t+2]=s,this.array[t+3]=r,this}onUpload(t){return this.onUploadCallback=t,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){let t={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return t.name=this.name,t.usage=this.usage,t.gpuType=this.gpuType,t}dispose(){this.dispatchEvent({type:"dispose"})}_denormalize(t){let e=this._normalizationScale;return e!==void 0?Math.max(t/e,-1):tp(t,this.array)}_normalize(t){let e=this._normalizationScale;return e!==void 0?Math.round(t*e):ep(t,this.array)}};var ka=class extends Rn{constructor(t,e,n){super(new Uint16Array(t),e,n)}};var Va=class extends Rn{constructor(t,e,n){super(new Uint32Array(t),e,n)}};var qe=class extends Rn{constructor(t,e,n){super(new Float32Array(t),e,n)}},w0=new Bi,Ea=new W,Eh=new W,zi=class{constructor(t=new W,e=-1){this.isSphere=!0,this.center=t,this.radius=e}set(t,e){return this.center.copy(t),this.radius=e,this}setFromPoints(t,e){let n=this.center;e!==void 0?n.copy(e):w0.setFromPoints(t).getCenter(n);let s=0;for(let r=0,a=t.length;r<a;r++)s=Math.max(s,n.distanceToSquared(t[r]));return this.radius=Math.sqrt(s),this}copy(t){return this.center.copy(t.center),this.radius=t.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(t){return t.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(t){return t.distanceTo(this.center)-this.radius}intersectsSphere(t){let e=this.radius+t.radius;return t.center.distanceToSquared(this.center)<=e*e}intersectsBox(t){return t.intersectsSphere(this)}intersectsPlane(t){return Math.abs(t.distanceToPoint(this.center))<=this.radius}clampPoint(t,e){let n=this.center.distanceToSquared(t);return e.copy(t),n>this.radius*this.radius&&(e.sub(this.center).normalize(),e.multiplyScalar(this.radius).add(this.center)),e}getBoundingBox(t){return this.isEmpty()?(t.makeEmpty(),t):(t.set(this.center,this.center),t.expandByScalar(this.radius),t)}applyMatrix4(t){return this.center.applyMatrix4(t),this.radius=this.radius*t.getMaxScaleOnAxis(),this}translate(t){return this.center.add(t),this}expandByPoint(t){if(this.isEmpty())return this.center.copy(t),this.radius=0,this;Ea.subVectors(t,this.center);let e=Ea.lengthSq();if(e>this.radius*this.radius){let n=Math.sqrt(e),s=(n-this.radius)*.5;this.center.addScaledVector(Ea,s/n),this.radius+=s}return this}union(t){return t.isEmpty()?this:this.isEmpty()?(this.copy(t),this):(this.center.equals(t.center)===!0?this.radius=Math.max(this.radius,t.radius):(Eh.subVectors(t.center,this.center).setLength(t.radius),this.expandByPoint(Ea.copy(t.center).add(Eh)),this.expandByPoint(Ea.copy(t.center).sub(Eh))),this)}equals(t){return t.center.equals(this.center)&&t.radius===this.radius}clone(){return new this.constructor().copy(this)}toJSON(){return{radius:this.radius,center:this.center.toArray()}}fromJSON(t){return this.radius=t.radius,this.center.fromArray(t.center),this}},E0=0,ci=new ye,Th=new En,Cr=new W,jn=new Bi,Ta=new Bi,bn=new W,dn=class i extends vi{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:E0++}),this.uuid=Qr(),this.name="",this.type="BufferGeometry",this.index=null,this.indirect=null,this.indirectOffset=0,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={},this._transformed=!1}getIndex(){return this.index}setIndex(t){return Array.isArray(t)?this.index=new(Jg(t)?Va:ka)(t,1):this.index=t,this}setIndirect(t,e=0){return this.indirect=t,this.indirectOffset=e,this}getIndirect(){return this.indirect}getAttribute(t){return this.attributes[t]}setAttribute(t,e){return this.attributes[t]=e,this}deleteAttribute(t){return delete this.attributes[t],this}hasAttribute(t){return this.attributes[t]!==void 0}addGroup(t,e,n=0){this.groups.push({start:t,count:e,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(t,e){this.drawRange.start=t,this.drawRange.count=e}applyMatrix4(t){let e=this.attributes.position;e!==void 0&&(e.applyMatrix4(t),e.needsUpdate=!0);let n=this.attributes.normal;if(n!==void 0){let r=new ee().getNormalMatrix(t);n.applyNormalMatrix(r),n.needsUpdate=!0}let s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(t),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this._transformed=!0,this}applyQuaternion(t){return ci.makeRotationFromQuaternion(t),this.applyMatrix4(ci),this}rotateX(t){return ci.makeRotationX(t),this.applyMatrix4(ci),this}rotateY(t){return ci.makeRotationY(t),this.applyMatrix4(ci),this}rotateZ(t){return ci.makeRotationZ(t),this.applyMatrix4(ci),this}translate(t,e,n){return ci.makeTranslation(t,e,n),this.applyMatrix4(ci),this}scale(t,e,n){return ci.makeScale(t,e,n),this.applyMatrix4(ci),this}lookAt(t){return Th.lookAt(t),Th.updateMatrix(),this.applyMatrix4(Th.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(Cr).negate(),this.translate(Cr.x,Cr.y,Cr.z),this}setFromPoints(t){let e=this.getAttribute("position");if(e===void 0){let n=[];for(let s=0,r=t.length;s<r;s++){let a=t[s];n.push(a.x,a.y,a.z||0)}this.setAttribute("position",new qe(n,3))}else{let n=Math.min(t.length,e.count);for(let s=0;s<n;s++){let r=t[s];e.setXYZ(s,r.x,r.y,r.z||0)}t.length>e.count&&qt("BufferGeometry: Buffer size too small for points data. Use .dispose() and create a new geometry."),e.needsUpdate=!0}return this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new Bi);let t=this.attributes.position,e=this.morphAttributes.position;if(t&&t.isGLBufferAttribute){Qt("BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new W(-1/0,-1/0,-1/0),new W(1/0,1/0,1/0));return}if(t!==void 0){if(this.boundingBox.setFromBufferAttribute(t),e)for(let n=0,s=e.length;n<s;n++){let r=e[n];jn.setFromBufferAttribute(r),this.morphTargetsRelative?(bn.addVectors(this.boundingBox.min,jn.min),this.boundingBox.expandByPoint(bn),bn.addVectors(this.boundingBox.max,jn.max),this.boundingBox.expandByPoint(bn)):(this.boundingBox.expandByPoint(jn.min),this.boundingBox.expandByPoint(jn.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&Qt('BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new zi);let t=this.attributes.position,e=this.morphAttributes.position;if(t&&t.isGLBufferAttribute){Qt("BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new W,1/0);return}if(t){let n=this.boundingSphere.center;if(jn.setFromBufferAttribute(t),e)for(let r=0,a=e.length;r<a;r++){let o=e[r];Ta.setFromBufferAttribute(o),this.morphTargetsRelative?(bn.addVectors(jn.min,Ta.min),jn.expandByPoint(bn),bn.addVectors(jn.max,Ta.max),jn.expandByPoint(bn)):(jn.expandByPoint(Ta.min),jn.expandByPoint(Ta.max))}jn.getCenter(n);let s=0;for(let r=0,a=t.count;r<a;r++)bn.fromBufferAttribute(t,r),s=Math.max(s,n.distanceToSquared(bn));if(e)for(let r=0,a=e.length;r<a;r++){let o=e[r],l=this.morphTargetsRelative;for(let c=0,u=o.count;c<u;c++)bn.fromBufferAttribute(o,c),l&&(Cr.fromBufferAttribute(t,c),bn.add(Cr)),s=Math.max(s,n.distanceToSquared(bn))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&Qt('BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){let t=this.index,e=this.attributes;if(t===null||e.position===void 0||e.normal===void 0||e.uv===void 0){Qt("BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}let n=e.position,s=e.normal,r=e.uv,a=this.getAttribute("tangent");(a===void 0||a.count!==n.count)&&(a=new Rn(new Float32Array(4*n.count),4),this.setAttribute("tangent",a));let o=[],l=[],c=new Uint8Array(n.count);for(let O=0;O<n.count;O++)o[O]=new W,l[O]=new W;let u=new W,d=new W,h=new W,f=new Kt,p=new Kt,_=new Kt,g=new W,m=new W;function v(O,N,D){c[O]=c[N]=c[D]=1,u.fromBufferAttribute(n,O),d.fromBufferAttribute(n,N),h.fromBufferAttribute(n,D),f.fromBufferAttribute(r,O),p.fromBufferAttribute(r,N),_.fromBufferAttribute(r,D),d.sub(u),h.sub(u),p.sub(f),_.sub(f);let z=1/(p.x*_.y-_.x*p.y);isFinite(z)&&(g.copy(d).multiplyScalar(_.y).addScaledVector(h,-p.y).multiplyScalar(z),m.copy(h).multiplyScalar(p.x).addScaledVector(d,-_.x).multiplyScalar(z),o[O].add(g),o[N].add(g),o[D].add(g),l[O].add(m),l[N].add(m),l[D].add(m))}let A=this.groups;A.length===0&&(A=[{start:0,count:t.count}]);for(let O=0,N=A.length;O<N;++O){let D=A[O],z=D.start,G=D.count;for(let L=z,H=z+G;L<H;L+=3)v(t.getX(L+0),t.getX(L+1),t.getX(L+2))}let M=new W,R=new W,T=new W,x=new W;function E(O){T.fromBufferAttribute(s,O),x.copy(T);let N=o[O];M.copy(N),M.sub(T.multiplyScalar(T.dot(N))).normalize(),R.crossVectors(x,N);let z=R.dot(l[O])<0?-1:1;a.setXYZW(O,M.x,M.y,M.z,z)}for(let O=0,N=n.count;O<N;++O)c[O]&&E(O);this._transformed=!0}computeVertexNormals(){let t=this.index,e=this.getAttribute("position");if(e!==void 0){let n=this.getAttribute("normal");if(n===void 0||n.count!==e.count)n=new Rn(new Float32Array(e.count*3),3),this.setAttribute("normal",n);else for(let h=0,f=n.count;h<f;h++)n.setXYZ(h,0,0,0);let s=new W,r=new W,a=new W,o=new W,l=new W,c=new W,u=new W,d=new W;if(t)for(let h=0,f=t.count;h<f;h+=3){let p=t.getX(h+0),_=t.getX(h+1),g=t.getX(h+2);s.fromBufferAttribute(e,p),r.fromBufferAttribute(e,_),a.fromBufferAttribute(e,g),u.subVectors(a,r),d.subVectors(s,r),u.cross(d),o.fromBufferAttribute(n,p),l.fromBufferAttribute(n,_),c.fromBufferAttribute(n,g),o.add(u),l.add(u),c.add(u),n.setXYZ(p,o.x,o.y,o.z),n.setXYZ(_,l.x,l.y,l.z),n.setXYZ(g,c.x,c.y,c.z)}else for(let h=0,f=e.count;h<f;h+=3)s.fromBufferAttribute(e,h+0),r.fromBufferAttribute(e,h+1),a.fromBufferAttribute(e,h+2),u.subVectors(a,r),d.subVectors(s,r),u.cross(d),n.setXYZ(h+0,u.x,u.y,u.z),n.setXYZ(h+1,u.x,u.y,u.z),n.setXYZ(h+2,u.x,u.y,u.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){let t=this.attributes.normal;for(let e=0,n=t.count;e<n;e++)bn.fromBufferAttribute(t,e),bn.normalize(),t.setXYZ(e,bn.x,bn.y,bn.z)}toNonIndexed(){function t(o,l){let c=o.array,u=o.itemSize,d=o.normalized,h=new c.constructor(l.length*u),f=0,p=0;for(let _=0,g=l.length;_<g;_++){o.isInterleavedBufferAttribute?f=l[_]*o.data.stride+o.offset:f=l[_]*u;for(let m=0;m<u;m++)h[p++]=c[f++]}return new Rn(h,u,d)}if(this.index===null)return qt("BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;let e=new i,n=this.index.array,s=this.attributes;for(let o in s){let l=s[o],c=t(l,n);e.setAttribute(o,c)}let r=this.morphAttributes;for(let o in r){let l=[],c=r[o];for(let u=0,d=c.length;u<d;u++){let h=c[u],f=t(h,n);l.push(f)}e.morphAttributes[o]=l}e.morphTargetsRelative=this.morphTargetsRelative;let a=this.groups;for(let o=0,l=a.length;o<l;o++){let c=a[o];e.addGroup(c.start,c.count,c.materialIndex)}return e}toJSON(){let t={metadata:{version:4.7,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(t.uuid=this.uuid,t.type=this.parameters!==void 0&&this._transformed===!0?"BufferGeometry":this.type,t.name=this.name,Object.keys(this.userData).length>0&&(t.userData=this.userData),this.parameters!==void 0&&this._transformed!==!0){let l=this.parameters;for(let c in l)l[c]!==void 0&&(t[c]=l[c]);return t}t.data={attributes:{}};let e=this.index;e!==null&&(t.data.index={type:e.array.constructor.name,array:Array.prototype.slice.call(e.array)});let n=this.attributes;for(let l in n){let c=n[l];t.data.attributes[l]=c.toJSON(t.data)}let s={},r=!1;for(let l in this.morphAttributes){let c=this.morphAttributes[l],u=[];for(let d=0,h=c.length;d<h;d++){let f=c[d];u.push(f.toJSON(t.data))}u.length>0&&(s[l]=u,r=!0)}r&&(t.data.morphAttributes=s,t.data.morphTargetsRelative=this.morphTargetsRelative);let a=this.groups;a.length>0&&(t.data.groups=JSON.parse(JSON.stringify(a)));let o=this.boundingSphere;return o!==null&&(t.data.boundingSphere=o.toJSON()),t}clone(){return new this.constructor().copy(this)}copy(t){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;let e={};this.name=t.name;let n=t.index;n!==null&&this.setIndex(n.clone());let s=t.attributes;for(let c in s){let u=s[c];this.setAttribute(c,u.clone(e))}let r=t.morphAttributes;for(let c in r){let u=[],d=r[c];for(let h=0,f=d.length;h<f;h++)u.push(d[h].clone(e));this.morphAttributes[c]=u}this.morphTargetsRelative=t.morphTargetsRelative;let a=t.groups;for(let c=0,u=a.length;c<u;c++){let d=a[c];this.addGroup(d.start,d.count,d.materialIndex)}let o=t.boundingBox;o!==null&&(this.boundingBox=o.clone());let l=t.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=t.drawRange.start,this.drawRange.count=t.drawRange.count,this.userData=t.userData,this._transformed=t._transformed,this}dispose(){this.dispatchEvent({type:"dispose"})}};var Ah=new W,T0=new W,A0=new ee,ti=class{constructor(t=new W(1,0,0),e=0){this.isPlane=!0,this.normal=t,this.constant=e}set(t,e){return this.normal.copy(t),this.constant=e,this}setComponents(t,e,n,s){return this.normal.set(t,e,n),this.constant=s,this}setFromNormalAndCoplanarPoint(t,e){return this.normal.copy(t),this.constant=-e.dot(this.normal),this}setFromCoplanarPoints(t,e,n){let s=Ah.subVectors(n,e).cross(T0.subVectors(t,e)).normalize();return this.setFromNormalAndCoplanarPoint(s,t),this}copy(t){return this.normal.copy(t.normal),this.constant=t.constant,this}normalize(){let t=1/this.normal.length();return this.normal.multiplyScalar(t),this.constant*=t,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(t){return this.normal.dot(t)+this.constant}distanceToSphere(t){return this.distanceToPoint(t.center)-t.radius}projectPoint(t,e){return e.copy(t).addScaledVector(this.normal,-this.distanceToPoint(t))}intersectLine(t,e,n=!0){let s=t.delta(Ah),r=this.normal.dot(s);if(r===0)return this.distanceToPoint(t.start)===0?e.copy(t.start):null;let a=-(t.start.dot(this.normal)+this.constant)/r;return n===!0&&(a<0||a>1)?null:e.copy(t.start).addScaledVector(s,a)}intersectsLine(t){let e=this.distanceToPoint(t.start),n=this.distanceToPoint(t.end);return e<0&&n>0||n<0&&e>0}intersectsBox(t){return t.intersectsPlane(this)}intersectsSphere(t){return t.intersectsPlane(this)}coplanarPoint(t){return t.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(t,e){let n=e||A0.getNormalMatrix(t),s=this.coplanarPoint(Ah).applyMatrix4(t),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(t){return this.constant-=t.dot(this.normal),this}equals(t){return t.normal.equals(this.normal)&&t.constant===this.constant}clone(){return new this.constructor().copy(this)}toJSON(){return{normal:this.normal.toArray(),constant:this.constant}}fromJSON(t){return this.normal.fromArray(t.normal),this.constant=t.constant,this}},R0=0,ki=class extends vi{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:R0++}),this.uuid=Qr(),this.name="",this.type="Material",this.blending=Jr,this.side=Us,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Wh,this.blendDst=Xh,this.blendEquation=js,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new te(0,0,0),this.blendAlpha=0,this.depthFunc=Ur,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Hf,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=rl,this.stencilZFail=rl,this.stencilZPass=rl,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.allowOverride=!0,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(t){this._alphaTest>0!=t>0&&this.version++,this._alphaTest=t}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(t){if(t!==void 0)for(let e in t){let n=t[e];if(n===void 0){qt(`Material: parameter '${e}' has value of undefined.`);continue}let s=this[e];if(s===void 0){qt(`Material: '${e}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector2&&n&&n.isVector2||s&&s.isEuler&&n&&n.isEuler||s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[e]=n}}toJSON(t){let e=t===void 0||typeof t=="string";e&&(t={textures:{},images:{}});let n={metadata:{version:4.7,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,n.blending=this.blending,n.side=this.side,n.shadowSide=this.shadowSide,n.vertexColors=this.vertexColors,n.opacity=this.opacity,n.transparent=this.transparent,n.blendSrc=this.blendSrc,n.blendDst=this.blendDst,n.blendEquation=this.blendEquation,n.blendSrcAlpha=this.blendSrcAlpha,n.blendDstAlpha=this.blendDstAlpha,n.blendEquationAlpha=this.blendEquationAlpha,n.blendColor=this.blendColor.getHex(),n.blendAlpha=this.blendAlpha,n.depthFunc=this.depthFunc,n.depthTest=this.depthTest,n.depthWrite=this.depthWrite,n.colorWrite=this.colorWrite,n.clipIntersection=this.clipIntersection,n.clipShadows=this.clipShadows,n.stencilWriteMask=this.stencilWriteMask,n.stencilFunc=this.stencilFunc,n.stencilRef=this.stencilRef,n.stencilFuncMask=this.stencilFuncMask,n.stencilFail=this.stencilFail,n.stencilZFail=this.stencilZFail,n.stencilZPass=this.stencilZPass,n.stencilWrite=this.stencilWrite,n.polygonOffset=this.polygonOffset,n.polygonOffsetFactor=this.polygonOffsetFactor,n.polygonOffsetUnits=this.polygonOffsetUnits,n.dithering=this.dithering,n.alphaTest=this.alphaTest,n.alphaHash=this.alphaHash,n.alphaToCoverage=this.alphaToCoverage,n.premultipliedAlpha=this.premultipliedAlpha,n.forceSinglePass=this.forceSinglePass,n.allowOverride=this.allowOverride,n.visible=this.visible,n.toneMapped=this.toneMapped,n.name=this.name,this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.diffuseRoughness!==void 0&&(n.diffuseRoughness=this.diffuseRoughness),this.diffuseRoughnessMap&&this.diffuseRoughnessMap.isTexture&&(n.diffuseRoughnessMap=this.diffuseRoughnessMap.toJSON(t).uuid),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(t).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(t).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(t).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.sheenColorMap&&this.sheenColorMap.isTexture&&(n.sheenColorMap=this.sheenColorMap.toJSON(t).uuid),this.sheenRoughnessMap&&this.sheenRoughnessMap.isTexture&&(n.sheenRoughnessMap=this.sheenRoughnessMap.toJSON(t).uuid),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.retroreflectivity!==void 0&&(n.retroreflectivity=this.retroreflectivity),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessMinimum!==void 0&&(n.iridescenceThicknessMinimum=this.iridescenceThicknessMinimum),this.iridescenceThicknessMaximum!==void 0&&(n.iridescenceThicknessMaximum=this.iridescenceThicknessMaximum),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(t).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(t).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(t).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(t).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(t).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(t).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(t).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(t).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(t).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(t).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(t).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(t).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(t).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(t).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(t).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(t).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(t).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(t).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(t).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(t).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(t).uuid),this.attenuationDistance!==void 0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),Array.isArray(this.clippingPlanes)&&this.clippingPlanes.length>0&&(n.clippingPlanes=this.clippingPlanes.map(r=>r.toJSON())),this.rotation!==void 0&&(n.rotation=this.rotation),this.depthPacking!==void 0&&(n.depthPacking=this.depthPacking),this.linewidth!==void 0&&(n.linewidth=this.linewidth),this.linecap!==void 0&&(n.linecap=this.linecap),this.linejoin!==void 0&&(n.linejoin=this.linejoin),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.wireframe!==void 0&&(n.wireframe=this.wireframe),this.wireframeLinewidth!==void 0&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!==void 0&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!==void 0&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading!==void 0&&(n.flatShading=this.flatShading),this.fog!==void 0&&(n.fog=this.fog),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){let a=[];for(let o in r){let l=r[o];delete l.metadata,a.push(l)}return a}if(e){let r=s(t.textures),a=s(t.images);r.length>0&&(n.textures=r),a.length>0&&(n.images=a)}return n}fromJSON(t,e){if(t.uuid!==void 0&&(this.uuid=t.uuid),t.name!==void 0&&(this.name=t.name),t.color!==void 0&&this.color!==void 0&&this.color.setHex(t.color),t.roughness!==void 0&&(this.roughness=t.roughness),t.metalness!==void 0&&(this.metalness=t.metalness),t.sheen!==void 0&&(this.sheen=t.sheen),t.sheenColor!==void 0&&(this.sheenColor=new te().setHex(t.sheenColor)),t.sheenRoughness!==void 0&&(this.sheenRoughness=t.sheenRoughness),t.emissive!==void 0&&this.emissive!==void 0&&this.emissive.setHex(t.emissive),t.specular!==void 0&&this.specular!==void 0&&this.specular.setHex(t.specular),t.specularIntensity!==void 0&&(this.specularIntensity=t.specularIntensity),t.specularColor!==void 0&&this.specularColor!==void 0&&this.specularColor.setHex(t.specularColor),t.shininess!==void 0&&(this.shininess=t.shininess),t.clearcoat!==void 0&&(this.clearcoat=t.clearcoat),t.clearcoatRoughness!==void 0&&(this.clearcoatRoughness=t.clearcoatRoughness),t.diffuseRoughness!==void 0&&(this.diffuseRoughness=t.diffuseRoughness),t.dispersion!==void 0&&(this.dispersion=t.dispersion),t.retroreflectivity!==void 0&&(this.retroreflectivity=t.retroreflectivity),t.iridescence!==void 0&&(this.iridescence=t.iridescence),t.iridescenceIOR!==void 0&&(this.iridescenceIOR=t.iridescenceIOR),t.iridescenceThicknessMinimum!==void 0&&(this.iridescenceThicknessMinimum=t.iridescenceThicknessMinimum),t.iridescenceThicknessMaximum!==void 0&&(this.iridescenceThicknessMaximum=t.iridescenceThicknessMaximum),t.iridescenceThicknessRange!==void 0&&(this.iridescenceThicknessMinimum=t.iridescenceThicknessRange[0],this.iridescenceThicknessMaximum=t.iridescenceThicknessRange[1]),t.transmission!==void 0&&(this.transmission=t.transmission),t.thickness!==void 0&&(this.thickness=t.thickness),t.attenuationDistance!==void 0&&(this.attenuationDistance=t.attenuationDistance),t.attenuationColor!==void 0&&this.attenuationColor!==void 0&&this.attenuationColor.setHex(t.attenuationColor),t.anisotropy!==void 0&&(this.anisotropy=t.anisotropy),t.anisotropyRotation!==void 0&&(this.anisotropyRotation=t.anisotropyRotation),t.fog!==void 0&&(this.fog=t.fog),t.flatShading!==void 0&&(this.flatShading=t.flatShading),t.blending!==void 0&&(this.blending=t.blending),t.combine!==void 0&&(this.combine=t.combine),t.side!==void 0&&(this.side=t.side),t.shadowSide!==void 0&&(this.shadowSide=t.shadowSide),t.opacity!==void 0&&(this.opacity=t.opacity),t.transparent!==void 0&&(this.transparent=t.transparent),t.alphaTest!==void 0&&(this.alphaTest=t.alphaTest),t.alphaHash!==void 0&&(this.alphaHash=t.alphaHash),t.depthFunc!==void 0&&(this.depthFunc=t.depthFunc),t.depthTest!==void 0&&(this.depthTest=t.depthTest),t.depthWrite!==void 0&&(this.depthWrite=t.depthWrite),t.colorWrite!==void 0&&(this.colorWrite=t.colorWrite),t.clippingPlanes!==void 0&&(this.clippingPlanes=t.clippingPlanes.map(n=>new ti().fromJSON(n))),t.clipIntersection!==void 0&&(this.clipIntersection=t.clipIntersection),t.clipShadows!==void 0&&(this.clipShadows=t.clipShadows),t.depthPacking!==void 0&&(this.depthPacking=t.depthPacking),t.blendSrc!==void 0&&(this.blendSrc=t.blendSrc),t.blendDst!==void 0&&(this.blendDst=t.blendDst),t.blendEquation!==void 0&&(this.blendEquation=t.blendEquation),t.blendSrcAlpha!==void 0&&(this.blendSrcAlpha=t.blendSrcAlpha),t.blendDstAlpha!==void 0&&(this.blendDstAlpha=t.blendDstAlpha),t.blendEquationAlpha!==void 0&&(this.blendEquationAlpha=t.blendEquationAlpha),t.blendColor!==void 0&&this.blendColor!==void 0&&this.blendColor.setHex(t.blendColor),t.blendAlpha!==void 0&&(this.blendAlpha=t.blendAlpha),t.stencilWriteMask!==void 0&&(this.stencilWriteMask=t.stencilWriteMask),t.stencilFunc!==void 0&&(this.stencilFunc=t.stencilFunc),t.stencilRef!==void 0&&(this.stencilRef=t.stencilRef),t.stencilFuncMask!==void 0&&(this.stencilFuncMask=t.stencilFuncMask),t.stencilFail!==void 0&&(this.stencilFail=t.stencilFail),t.stencilZFail!==void 0&&(this.stencilZFail=t.stencilZFail),t.stencilZPass!==void 0&&(this.stencilZPass=t.stencilZPass),t.stencilWrite!==void 0&&(this.stencilWrite=t.stencilWrite),t.wireframe!==void 0&&(this.wireframe=t.wireframe),t.wireframeLinewidth!==void 0&&(this.wireframeLinewidth=t.wireframeLinewidth),t.wireframeLinecap!==void 0&&(this.wireframeLinecap=t.wireframeLinecap),t.wireframeLinejoin!==void 0&&(this.wireframeLinejoin=t.wireframeLinejoin),t.rotation!==void 0&&(this.rotation=t.rotation),t.linewidth!==void 0&&(this.linewidth=t.linewidth),t.linecap!==void 0&&(this.linecap=t.linecap),t.linejoin!==void 0&&(this.linejoin=t.linejoin),t.dashSize!==void 0&&(this.dashSize=t.dashSize),t.gapSize!==void 0&&(this.gapSize=t.gapSize),t.scale!==void 0&&(this.scale=t.scale),t.polygonOffset!==void 0&&(this.polygonOffset=t.polygonOffset),t.polygonOffsetFactor!==void 0&&(this.polygonOffsetFactor=t.polygonOffsetFactor),t.polygonOffsetUnits!==void 0&&(this.polygonOffsetUnits=t.polygonOffsetUnits),t.dithering!==void 0&&(this.dithering=t.dithering),t.alphaToCoverage!==void 0&&(this.alphaToCoverage=t.alphaToCoverage),t.premultipliedAlpha!==void 0&&(this.premultipliedAlpha=t.premultipliedAlpha),t.forceSinglePass!==void 0&&(this.forceSinglePass=t.forceSinglePass),t.allowOverride!==void 0&&(this.allowOverride=t.allowOverride),t.visible!==void 0&&(this.visible=t.visible),t.toneMapped!==void 0&&(this.toneMapped=t.toneMapped),t.userData!==void 0&&(this.userData=t.userData),t.vertexColors!==void 0&&(typeof t.vertexColors=="number"?this.vertexColors=t.vertexColors>0:this.vertexColors=t.vertexColors),t.size!==void 0&&(this.size=t.size),t.sizeAttenuation!==void 0&&(this.sizeAttenuation=t.sizeAttenuation),t.map!==void 0&&(this.map=e[t.map]||null),t.matcap!==void 0&&(this.matcap=e[t.matcap]||null),t.alphaMap!==void 0&&(this.alphaMap=e[t.alphaMap]||null),t.bumpMap!==void 0&&(this.bumpMap=e[t.bumpMap]||null),t.bumpScale!==void 0&&(this.bumpScale=t.bumpScale),t.normalMap!==void 0&&(this.normalMap=e[t.normalMap]||null),t.normalMapType!==void 0&&(this.normalMapType=t.normalMapType),t.normalScale!==void 0){let n=t.normalScale;Array.isArray(n)===!1&&(n=[n,n]),this.normalScale=new Kt().fromArray(n)}return t.displacementMap!==void 0&&(this.displacementMap=e[t.displacementMap]||null),t.displacementScale!==void 0&&(this.displacementScale=t.displacementScale),t.displacementBias!==void 0&&(this.displacementBias=t.displacementBias),t.roughnessMap!==void 0&&(this.roughnessMap=e[t.roughnessMap]||null),t.metalnessMap!==void 0&&(this.metalnessMap=e[t.metalnessMap]||null),t.emissiveMap!==void 0&&(this.emissiveMap=e[t.emissiveMap]||null),t.emissiveIntensity!==void 0&&(this.emissiveIntensity=t.emissiveIntensity),t.specularMap!==void 0&&(this.specularMap=e[t.specularMap]||null),t.specularIntensityMap!==void 0&&(this.specularIntensityMap=e[t.specularIntensityMap]||null),t.specularColorMap!==void 0&&(this.specularColorMap=e[t.specularColorMap]||null),t.envMap!==void 0&&(this.envMap=e[t.envMap]||null),t.envMapRotation!==void 0&&this.envMapRotation.fromArray(t.envMapRotation),t.envMapIntensity!==void 0&&(this.envMapIntensity=t.envMapIntensity),t.reflectivity!==void 0&&(this.reflectivity=t.reflectivity),t.refractionRatio!==void 0&&(this.refractionRatio=t.refractionRatio),t.lightMap!==void 0&&(this.lightMap=e[t.lightMap]||null),t.lightMapIntensity!==void 0&&(this.lightMapIntensity=t.lightMapIntensity),t.aoMap!==void 0&&(this.aoMap=e[t.aoMap]||null),t.aoMapIntensity!==void 0&&(this.aoMapIntensity=t.aoMapIntensity),t.gradientMap!==void 0&&(this.gradientMap=e[t.gradientMap]||null),t.clearcoatMap!==void 0&&(this.clearcoatMap=e[t.clearcoatMap]||null),t.clearcoatRoughnessMap!==void 0&&(this.clearcoatRoughnessMap=e[t.clearcoatRoughnessMap]||null),t.clearcoatNormalMap!==void 0&&(this.clearcoatNormalMap=e[t.clearcoatNormalMap]||null),t.clearcoatNormalScale!==void 0&&(this.clearcoatNormalScale=new Kt().fromArray(t.clearcoatNormalScale)),t.diffuseRoughnessMap!==void 0&&(this.diffuseRoughnessMap=e[t.diffuseRoughnessMap]||null),t.iridescenceMap!==void 0&&(this.iridescenceMap=e[t.iridescenceMap]||null),t.iridescenceThicknessMap!==void 0&&(this.iridescenceThicknessMap=e[t.iridescenceThicknessMap]||null),t.transmissionMap!==void 0&&(this.transmissionMap=e[t.transmissionMap]||null),t.thicknessMap!==void 0&&(this.thicknessMap=e[t.thicknessMap]||null),t.anisotropyMap!==void 0&&(this.anisotropyMap=e[t.anisotropyMap]||null),t.sheenColorMap!==void 0&&(this.sheenColorMap=e[t.sheenColorMap]||null),t.sheenRoughnessMap!==void 0&&(this.sheenRoughnessMap=e[t.sheenRoughnessMap]||null),this}clone(){return new this.constructor().copy(this)}copy(t){this.name=t.name,this.blending=t.blending,this.side=t.side,this.vertexColors=t.vertexColors,this.opacity=t.opacity,this.transparent=t.transparent,this.blendSrc=t.blendSrc,this.blendDst=t.blendDst,this.blendEquation=t.blendEquation,this.blendSrcAlpha=t.blendSrcAlpha,this.blendDstAlpha=t.blendDstAlpha,this.blendEquationAlpha=t.blendEquationAlpha,this.blendColor.copy(t.blendColor),this.blendAlpha=t.blendAlpha,this.depthFunc=t.depthFunc,this.depthTest=t.depthTest,this.depthWrite=t.depthWrite,this.stencilWriteMask=t.stencilWriteMask,this.stencilFunc=t.stencilFunc,this.stencilRef=t.stencilRef,this.stencilFuncMask=t.stencilFuncMask,this.stencilFail=t.stencilFail,this.stencilZFail=t.stencilZFail,this.stencilZPass=t.stencilZPass,this.stencilWrite=t.stencilWrite;let e=t.clippingPlanes,n=null;if(e!==null){let s=e.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=e[r].clone()}return this.clippingPlanes=n,this.clipIntersection=t.clipIntersection,this.clipShadows=t.clipShadows,this.shadowSide=t.shadowSide,this.colorWrite=t.colorWrite,this.precision=t.precision,this.polygonOffset=t.polygonOffset,this.polygonOffsetFactor=t.polygonOffsetFactor,this.polygonOffsetUnits=t.polygonOffsetUnits,this.dithering=t.dithering,this.alphaTest=t.alphaTest,this.alphaHash=t.alphaHash,this.alphaToCoverage=t.alphaToCoverage,this.premultipliedAlpha=t.premultipliedAlpha,this.forceSinglePass=t.forceSinglePass,this.allowOverride=t.allowOverride,this.visible=t.visible,this.toneMapped=t.toneMapped,this.userData=JSON.parse(JSON.stringify(t.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(t){t===!0&&this.version++}};var ns=new W,Rh=new W,ko=new W,Vo=new W,Ts=class{constructor(t=new W,e=new W(0,0,-1)){this.origin=t,this.direction=e}set(t,e){return this.origin.copy(t),this.direction.copy(e),this}copy(t){return this.origin.copy(t.origin),this.direction.copy(t.direction),this}at(t,e){return e.copy(this.origin).addScaledVector(this.direction,t)}lookAt(t){return this.direction.copy(t).sub(this.origin).normalize(),this}recast(t){return this.origin.copy(this.at(t,ns)),this}closestPointToPoint(t,e){e.subVectors(t,this.origin);let n=e.dot(this.direction);return n<0?e.copy(this.origin):e.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(t){return Math.sqrt(this.distanceSqToPoint(t))}distanceSqToPoint(t){let e=ns.subVectors(t,this.origin).dot(this.direction);return e<0?this.origin.distanceToSquared(t):(ns.copy(this.origin).addScaledVector(this.direction,e),ns.distanceToSquared(t))}distanceSqToSegment(t,e,n,s){Rh.copy(t).add(e).multiplyScalar(.5),ko.copy(e).sub(t).normalize(),Vo.copy(this.origin).sub(Rh);let r=t.distanceTo(e)*.5,a=-this.direction.dot(ko),o=Vo.dot(this.direction),l=-Vo.dot(ko),c=Vo.lengthSq(),u=Math.abs(1-a*a),d,h,f,p;if(u>0)if(d=a*l-o,h=a*o-l,p=r*u,d>=0)if(h>=-p)if(h<=p){let _=1/u;d*=_,h*=_,f=d*(d+a*h+2*o)+h*(a*d+h+2*l)+c}else h=r,d=Math.max(0,-(a*h+o)),f=-d*d+h*(h+2*l)+c;else h=-r,d=Math.max(0,-(a*h+o)),f=-d*d+h*(h+2*l)+c;else h<=-p?(d=Math.max(0,-(-a*r+o)),h=d>0?-r:Math.min(Math.max(-r,-l),r),f=-d*d+h*(h+2*l)+c):h<=p?(d=0,h=Math.min(Math.max(-r,-l),r),f=h*(h+2*l)+c):(d=Math.max(0,-(a*r+o)),h=d>0?r:Math.min(Math.max(-r,-l),r),f=-d*d+h*(h+2*l)+c);else h=a>0?-r:r,d=Math.max(0,-(a*h+o)),f=-d*d+h*(h+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,d),s&&s.copy(Rh).addScaledVector(ko,h),f}intersectSphere(t,e){if(t.radius<0)return null;ns.subVectors(t.center,this.origin);let n=ns.dot(this.direction),s=ns.dot(ns)-n*n,r=t.radius*t.radius;if(s>r)return null;let a=Math.sqrt(r-s),o=n-a,l=n+a;return l<0?null:o<0?this.at(l,e):this.at(o,e)}intersectsSphere(t){return t.radius<0?!1:this.distanceSqToPoint(t.center)<=t.radius*t.radius}distanceToPlane(t){let e=t.normal.dot(this.direction);if(e===0)return t.distanceToPoint(this.origin)===0?0:null;let n=-(this.origin.dot(t.normal)+t.constant)/e;return n>=0?n:null}intersectPlane(t,e){let n=this.distanceToPlane(t);return n===null?null:this.at(n,e)}intersectsPlane(t){let e=t.distanceToPoint(this.origin);return e===0||t.normal.dot(this.direction)*e<0}intersectBox(t,e){let n,s,r,a,o,l,c=1/this.direction.x,u=1/this.direction.y,d=1/this.direction.z,h=this.origin;return c>=0?(n=(t.min.x-h.x)*c,s=(t.max.x-h.x)*c):(n=(t.max.x-h.x)*c,s=(t.min.x-h.x)*c),u>=0?(r=(t.min.y-h.y)*u,a=(t.max.y-h.y)*u):(r=(t.max.y-h.y)*u,a=(t.min.y-h.y)*u),n>a||r>s||((r>n||isNaN(n))&&(n=r),(a<s||isNaN(s))&&(s=a),d>=0?(o=(t.min.z-h.z)*d,l=(t.max.z-h.z)*d):(o=(t.max.z-h.z)*d,l=(t.min.z-h.z)*d),n>l||o>s)||((o>n||n!==n)&&(n=o),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,e)}intersectsBox(t){return this.intersectBox(t,ns)!==null}intersectTriangle(t,e,n,s,r){let a=this.origin,o=this.direction,l=o.x,c=o.y,u=o.z,d=t.x-a.x,h=t.y-a.y,f=t.z-a.z,p=e.x-a.x,_=e.y-a.y,g=e.z-a.z,m=n.x-a.x,v=n.y-a.y,A=n.z-a.z,M=Math.abs(l),R=Math.abs(c),T=Math.abs(u),x,E,O,N,D,z,G,L,H,Y,V,lt;if(M>=R&&M>=T?(O=l,z=d,H=p,lt=m,l>=0?(x=c,E=u,N=h,D=f,G=_,L=g,Y=v,V=A):(x=u,E=c,N=f,D=h,G=g,L=_,Y=A,V=v)):R>=T?(O=c,z=h,H=_,lt=v,c>=0?(x=u,E=l,N=f,D=d,G=g,L=p,Y=A,V=m):(x=l,E=u,N=d,D=f,G=p,L=g,Y=m,V=A)):(O=u,z=f,H=g,lt=A,u>=0?(x=l,E=c,N=d,D=h,G=p,L=_,Y=m,V=v):(x=c,E=l,N=h,D=d,G=_,L=p,Y=v,V=m)),O===0)return null;let J=x/O,j=E/O,it=1/O,ut=N-J*z,ht=D-j*z,Q=G-J*H,mt=L-j*H,xt=Y-J*lt,At=V-j*lt,Mt=xt*mt-At*Q,Ht=ut*At-ht*xt,se=Q*ht-mt*ut;if(s){if(Mt<0||Ht<0||se<0)return null}else if((Mt<0||Ht<0||se<0)&&(Mt>0||Ht>0||se>0))return null;let Vt=Mt+Ht+se;if(Vt===0)return null;let he=it*(Mt*z+Ht*H+se*lt);return(Vt>0?he<0:he>0)?null:this.at(he/Vt,r)}applyMatrix4(t){return this.origin.applyMatrix4(t),this.direction.transformDirection(t),this}equals(t){return t.origin.equals(this.origin)&&t.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}},Vr=class extends ki{constructor(t){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new te(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new rs,this.combine=Ol,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.lightMap=t.lightMap,this.lightMapIntensity=t.lightMapIntensity,this.aoMap=t.aoMap,this.aoMapIntensity=t.aoMapIntensity,this.specularMap=t.specularMap,this.alphaMap=t.alphaMap,this.envMap=t.envMap,this.envMapRotation.copy(t.envMapRotation),this.combine=t.combine,this.reflectivity=t.reflectivity,this.refractionRatio=t.refractionRatio,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.wireframeLinecap=t.wireframeLinecap,this.wireframeLinejoin=t.wireframeLinejoin,this.fog=t.fog,this}},Kd=new ye,qs=new Ts,Go=new zi,jd=new W,Ho=new W,Wo=new W,Xo=new W,Ch=new W,qo=new W,Qd=new W,Yo=new W,Cn=class extends En{constructor(t=new dn,e=new Vr){super(),this.isMesh=!0,this.type="Mesh",this.geometry=t,this.material=e,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.count=1,this.updateMorphTargets()}copy(t,e){return super.copy(t,e),t.morphTargetInfluences!==void 0?this.morphTargetInfluences=t.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,t.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},t.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(t.material)?t.material.slice():t.material,this.geometry=t.geometry,this}updateMorphTargets(){let e=this.geometry.morphAttributes,n=Object.keys(e);if(n.length>0){let s=e[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,a=s.length;r<a;r++){let o=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[o]=r}}}}getVertexPosition(t,e){let n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,a=n.morphTargetsRelative;e.fromBufferAttribute(s,t);let o=this.morphTargetInfluences;if(r&&o){qo.set(0,0,0);for(let l=0,c=r.length;l<c;l++){let u=o[l],d=r[l];u!==0&&(Ch.fromBufferAttribute(d,t),a?qo.addScaledVector(Ch,u):qo.addScaledVector(Ch.sub(e),u))}e.add(qo)}return e}intersectsFrustum(t){return t.intersectsObject(this)}raycast(t,e){let n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),Go.copy(n.boundingSphere),Go.applyMatrix4(r),qs.copy(t.ray).recast(t.near),!(Go.containsPoint(qs.origin)===!1&&(qs.intersectSphere(Go,jd)===null||qs.origin.distanceToSquared(jd)>(t.far-t.near)**2))&&(Kd.copy(r).invert(),qs.copy(t.ray).applyMatrix4(Kd),!(n.boundingBox!==null&&qs.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(t,e,qs)))}_computeIntersections(t,e,n){let s,r=this.geometry,a=this.material,o=r.index,l=r.attributes.position,c=r.attributes.uv,u=r.attributes.uv1,d=r.attributes.normal,h=r.groups,f=r.drawRange;if(o!==null)if(Array.isArray(a))for(let p=0,_=h.length;p<_;p++){let g=h[p],m=a[g.materialIndex],v=Math.max(g.start,f.start),A=Math.min(o.count,Math.min(g.start+g.count,f.start+f.count));for(let M=v,R=A;M<R;M+=3){let T=o.getX(M),x=o.getX(M+1),E=o.getX(M+2);s=Zo(this,m,t,n,c,u,d,T,x,E),s&&(s.faceIndex=Math.floor(M/3),s.face.materialIndex=g.materialIndex,e.push(s))}}else{let p=Math.max(0,f.start),_=Math.min(o.count,f.start+f.count);for(let g=p,m=_;g<m;g+=3){let v=o.getX(g),A=o.getX(g+1),M=o.getX(g+2);s=Zo(this,a,t,n,c,u,d,v,A,M),s&&(s.faceIndex=Math.floor(g/3),e.push(s))}}else if(l!==void 0)if(Array.isArray(a))for(let p=0,_=h.length;p<_;p++){let g=h[p],m=a[g.materialIndex],v=Math.max(g.start,f.start),A=Math.min(l.count,Math.min(g.start+g.count,f.start+f.count));for(let M=v,R=A;M<R;M+=3){let T=M,x=M+1,E=M+2;s=Zo(this,m,t,n,c,u,d,T,x,E),s&&(s.faceIndex=Math.floor(M/3),s.face.materialIndex=g.materialIndex,e.push(s))}}else{let p=Math.max(0,f.start),_=Math.min(l.count,f.start+f.count);for(let g=p,m=_;g<m;g+=3){let v=g,A=g+1,M=g+2;s=Zo(this,a,t,n,c,u,d,v,A,M),s&&(s.faceIndex=Math.floor(g/3),e.push(s))}}}};function C0(i,t,e,n,s,r,a,o){let l;if(t.side===Hn?l=n.intersectTriangle(a,r,s,!0,o):l=n.intersectTriangle(s,r,a,t.side===Us,o),l===null)return null;Yo.copy(o),Yo.applyMatrix4(i.matrixWorld);let c=e.ray.origin.distanceTo(Yo);return c<e.near||c>e.far?null:{distance:c,point:Yo.clone(),object:i}}function Zo(i,t,e,n,s,r,a,o,l,c){i.getVertexPosition(o,Ho),i.getVertexPosition(l,Wo),i.getVertexPosition(c,Xo);let u=C0(i,t,e,n,Ho,Wo,Xo,Qd);if(u){let d=new W;Es.getBarycoord(Qd,Ho,Wo,Xo,d),s&&(u.uv=Es.getInterpolatedAttribute(s,o,l,c,d,new Kt)),r&&(u.uv1=Es.getInterpolatedAttribute(r,o,l,c,d,new Kt)),a&&(u.normal=Es.getInterpolatedAttribute(a,o,l,c,d,new W),u.normal.dot(n.direction)>0&&u.normal.multiplyScalar(-1));let h={a:o,b:l,c,normal:new W,materialIndex:0};Es.getNormal(Ho,Wo,Xo,h.normal),u.face=h,u.barycoord=d}return u}var Ga=class extends Gn{constructor(t=null,e=1,n=1,s,r,a,o,l,c=wn,u=wn,d,h){super(null,a,o,l,c,u,s,r,d,h),this.isDataTexture=!0,this.image={data:t,width:e,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}};var Ha=class extends Rn{constructor(t,e,n,s=1){super(t,e,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(t){return super.copy(t),this.meshPerAttribute=t.meshPerAttribute,this}toJSON(){let t=super.toJSON();return t.meshPerAttribute=this.meshPerAttribute,t.isInstancedBufferAttribute=!0,t}},Pr=new ye,tf=new ye,$o=[],ef=new Bi,P0=new ye,Aa=new Cn,Ra=new zi,Gr=class extends Cn{constructor(t,e,n){super(t,e),this.isInstancedMesh=!0,this.instanceMatrix=new Ha(new Float32Array(n*16),16),this.instanceColor=null,this.morphTexture=null,this.count=n,this.boundingBox=null,this.boundingSphere=null;for(let s=0;s<n;s++)this.setMatrixAt(s,P0)}computeBoundingBox(){let t=this.geometry,e=this.count;this.boundingBox===null&&(this.boundingBox=new Bi),t.boundingBox===null&&t.computeBoundingBox(),this.boundingBox.makeEmpty();for(let n=0;n<e;n++)this.getMatrixAt(n,Pr),ef.copy(t.boundingBox).applyMatrix4(Pr),this.boundingBox.union(ef)}computeBoundingSphere(){let t=this.geometry,e=this.count;this.boundingSphere===null&&(this.boundingSphere=new zi),t.boundingSphere===null&&t.computeBoundingSphere(),this.boundingSphere.makeEmpty();for(let n=0;n<e;n++)this.getMatrixAt(n,Pr),Ra.copy(t.boundingSphere).applyMatrix4(Pr),this.boundingSphere.union(Ra)}copy(t,e){return super.copy(t,e),this.instanceMatrix.copy(t.instanceMatrix),this.morphTexture=t.morphTexture!==null?t.morphTexture.clone():null,this.instanceColor=t.instanceColor!==null?t.instanceColor.clone():null,this.count=t.count,this.boundingBox=t.boundingBox!==null?t.boundingBox.clone():null,this.boundingSphere=t.boundingSphere!==null?t.boundingSphere.clone():null,this}getColorAt(t,e){return this.instanceColor===null?e.setRGB(1,1,1):e.fromArray(this.instanceColor.array,t*3)}getMatrixAt(t,e){return e.fromArray(this.instanceMatrix.array,t*16)}getMorphAt(t,e){let n=e.morphTargetInfluences,s=this.morphTexture.source.data.data,r=n.length+1,a=t*r+1;for(let o=0;o<n.length;o++)n[o]=s[a+o]}raycast(t,e){let n=this.matrixWorld,s=this.count;if(Aa.geometry=this.geometry,Aa.material=this.material,Aa.material!==void 0&&(this.boundingSphere===null&&this.computeBoundingSphere(),Ra.copy(this.boundingSphere),Ra.applyMatrix4(n),t.ray.intersectsSphere(Ra)!==!1))for(let r=0;r<s;r++){this.getMatrixAt(r,Pr),tf.multiplyMatrices(n,Pr),Aa.matrixWorld=tf,Aa.raycast(t,$o);for(let a=0,o=$o.length;a<o;a++){let l=$o[a];l.instanceId=r,l.object=this,e.push(l)}$o.length=0}}setColorAt(t,e){return this.instanceColor===null&&(this.instanceColor=new Ha(new Float32Array(this.instanceMatrix.count*3).fill(1),3)),e.toArray(this.instanceColor.array,t*3),this}setMatrixAt(t,e){return e.toArray(this.instanceMatrix.array,t*16),this}setMorphAt(t,e){let n=e.morphTargetInfluences,s=n.length+1;this.morphTexture===null&&(this.morphTexture=new Ga(new Float32Array(s*this.count),s,this.count,Wl,ui));let r=this.morphTexture.source.data.data,a=0;for(let c=0;c<n.length;c++)a+=n[c];let o=this.geometry.morphTargetsRelative?1:1-a,l=s*t;return r[l]=o,r.set(n,l+1),this}updateMorphTargets(){}dispose(){super.dispose(),this.instanceMatrix.dispose(),this.instanceColor!==null&&this.instanceColor.dispose(),this.morphTexture!==null&&(this.morphTexture.dispose(),this.morphTexture=null)}},Ys=new zi,I0=new Kt(.5,.5),Jo=new W,As=class{constructor(t=new ti,e=new ti,n=new ti,s=new ti,r=new ti,a=new ti){this.planes=[t,e,n,s,r,a]}set(t,e,n,s,r,a){let o=this.planes;return o[0].copy(t),o[1].copy(e),o[2].copy(n),o[3].copy(s),o[4].copy(r),o[5].copy(a),this}copy(t){let e=this.planes;for(let n=0;n<6;n++)e[n].copy(t.planes[n]);return this}setFromProjectionMatrix(t,e=hi,n=!1){let s=this.planes,r=t.elements,a=r[0],o=r[1],l=r[2],c=r[3],u=r[4],d=r[5],h=r[6],f=r[7],p=r[8],_=r[9],g=r[10],m=r[11],v=r[12],A=r[13],M=r[14],R=r[15];if(s[0].setComponents(c-a,f-u,m-p,R-v).normalize(),s[1].setComponents(c+a,f+u,m+p,R+v).normalize(),s[2].setComponents(c+o,f+d,m+_,R+A).normalize(),s[3].setComponents(c-o,f-d,m-_,R-A).normalize(),n)s[4].setComponents(l,h,g,M).normalize(),s[5].setComponents(c-l,f-h,m-g,R-M).normalize();else if(s[4].setComponents(c-l,f-h,m-g,R-M).normalize(),e===hi)s[5].setComponents(c+l,f+h,m+g,R+M).normalize();else if(e===Fr)s[5].setComponents(l,h,g,M).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+e);return this}intersectsObject(t){if(t.boundingSphere!==void 0)t.boundingSphere===null&&t.computeBoundingSphere(),Ys.copy(t.boundingSphere).applyMatrix4(t.matrixWorld);else{let e=t.geometry;e.boundingSphere===null&&e.computeBoundingSphere(),Ys.copy(e.boundingSphere).applyMatrix4(t.matrixWorld)}return this.intersectsSphere(Ys)}intersectsSprite(t){Ys.center.set(0,0,0);let e=I0.distanceTo(t.center);return Ys.radius=.7071067811865476+e,Ys.applyMatrix4(t.matrixWorld),this.intersectsSphere(Ys)}intersectsSphere(t){let e=this.planes,n=t.center,s=-t.radius;for(let r=0;r<6;r++)if(e[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(t){let e=this.planes;for(let n=0;n<6;n++){let s=e[n];if(Jo.x=s.normal.x>0?t.max.x:t.min.x,Jo.y=s.normal.y>0?t.max.y:t.min.y,Jo.z=s.normal.z>0?t.max.z:t.min.z,s.distanceToPoint(Jo)<0)return!1}return!0}containsPoint(t){let e=this.planes;for(let n=0;n<6;n++)if(e[n].distanceToPoint(t)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}},nf=new ye,yl=class i{constructor(){this.coordinateSystem=hi,this._frustums=[],this._count=0}setFromArrayCamera(t){let e=t.cameras,n=this._frustums;for(let s=0;s<e.length;s++){let r=e[s];nf.multiplyMatrices(r.projectionMatrix,r.matrixWorldInverse),n[s]===void 0&&(n[s]=new As),n[s].setFromProjectionMatrix(nf,r.coordinateSystem,r.reversedDepth)}return this._count=e.length,this}getFrustum(t){return this._frustums[t]}intersectsObject(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsObject(t))return!0;return!1}intersectsSprite(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsSprite(t))return!0;return!1}intersectsSphere(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsSphere(t))return!0;return!1}intersectsBox(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsBox(t))return!0;return!1}containsPoint(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].containsPoint(t))return!0;return!1}copy(t){this.coordinateSystem=t.coordinateSystem;let e=this._frustums,n=t._frustums;for(let s=0;s<t._count;s++)e[s]===void 0&&(e[s]=new As),e[s].copy(n[s]);return this._count=t._count,this}clone(){return new i().copy(this)}};var Zs=class extends ki{constructor(t){super(),this.isLineBasicMaterial=!0,this.type="LineBasicMaterial",this.color=new te(16777215),this.map=null,this.linewidth=1,this.linecap="round",this.linejoin="round",this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.linewidth=t.linewidth,this.linecap=t.linecap,this.linejoin=t.linejoin,this.fog=t.fog,this}},vl=new W,Sl=new W,sf=new ye,Ca=new Ts,Ko=new zi,Ph=new W,rf=new W,Hr=class extends En{constructor(t=new dn,e=new Zs){super(),this.isLine=!0,this.type="Line",this.geometry=t,this.material=e,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(t,e){return super.copy(t,e),t.morphTargetInfluences!==void 0?this.morphTargetInfluences=t.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,t.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},t.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(t.material)?t.material.slice():t.material,this.geometry=t.geometry,this}computeLineDistances(){let t=this.geometry;if(t.index===null){let e=t.attributes.position,n=[0];for(let s=1,r=e.count;s<r;s++)vl.fromBufferAttribute(e,s-1),Sl.fromBufferAttribute(e,s),n[s]=n[s-1],n[s]+=vl.distanceTo(Sl);t.setAttribute("lineDistance",new qe(n,1))}else qt("Line.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}intersectsFrustum(t){return t.intersectsObject(this)}raycast(t,e){let n=this.geometry,s=this.matrixWorld,r=t.params.Line.threshold,a=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Ko.copy(n.boundingSphere),Ko.applyMatrix4(s),Ko.radius+=r,t.ray.intersectsSphere(Ko)===!1)return;sf.copy(s).invert(),Ca.copy(t.ray).applyMatrix4(sf);let o=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=o*o,c=this.isLineSegments?2:1,u=n.index,h=n.attributes.position;if(u!==null){let f=Math.max(0,a.start),p=Math.min(u.count,a.start+a.count);for(let _=f,g=p-1;_<g;_+=c){let m=u.getX(_),v=u.getX(_+1),A=jo(this,t,Ca,l,m,v,_);A&&e.push(A)}if(this.isLineLoop){let _=u.getX(p-1),g=u.getX(f),m=jo(this,t,Ca,l,_,g,p-1);m&&e.push(m)}}else{let f=Math.max(0,a.start),p=Math.min(h.count,a.start+a.count);for(let _=f,g=p-1;_<g;_+=c){let m=jo(this,t,Ca,l,_,_+1,_);m&&e.push(m)}if(this.isLineLoop){let _=jo(this,t,Ca,l,p-1,f,p-1);_&&e.push(_)}}}updateMorphTargets(){let e=this.geometry.morphAttributes,n=Object.keys(e);if(n.length>0){let s=e[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,a=s.length;r<a;r++){let o=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[o]=r}}}}};function jo(i,t,e,n,s,r,a){let o=i.geometry.attributes.position;if(vl.fromBufferAttribute(o,s),Sl.fromBufferAttribute(o,r),e.distanceSqToSegment(vl,Sl,Ph,rf)>n)return;Ph.applyMatrix4(i.matrixWorld);let c=t.ray.origin.distanceTo(Ph);if(!(c<t.near||c>t.far))return{distance:c,point:rf.clone().applyMatrix4(i.matrixWorld),index:a,face:null,faceIndex:null,barycoord:null,object:i}}var af=new W,of=new W,Wa=class extends Hr{constructor(t,e){super(t,e),this.isLineSegments=!0,this.type="LineSegments"}computeLineDistances(){let t=this.geometry;if(t.index===null){let e=t.attributes.position,n=[];for(let s=0,r=e.count;s<r;s+=2)af.fromBufferAttribute(e,s),of.fromBufferAttribute(e,s+1),n[s]=s===0?0:n[s-1],n[s+1]=n[s]+af.distanceTo(of);t.setAttribute("lineDistance",new qe(n,1))}else qt("LineSegments.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}};var Wr=class extends ki{constructor(t){super(),this.isPointsMaterial=!0,this.type="PointsMaterial",this.color=new te(16777215),this.map=null,this.alphaMap=null,this.size=1,this.sizeAttenuation=!0,this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.alphaMap=t.alphaMap,this.size=t.size,this.sizeAttenuation=t.sizeAttenuation,this.fog=t.fog,this}},lf=new ye,Fh=new Ts,Qo=new zi,tl=new W,Xa=class extends En{constructor(t=new dn,e=new Wr){super(),this.isPoints=!0,this.type="Points",this.geometry=t,this.material=e,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(t,e){return super.copy(t,e),t.morphTargetInfluences!==void 0?this.morphTargetInfluences=t.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,t.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},t.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(t.material)?t.material.slice():t.material,this.geometry=t.geometry,this}intersectsFrustum(t){return t.intersectsObject(this)}raycast(t,e){let n=this.geometry,s=this.matrixWorld,r=t.params.Points.threshold,a=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Qo.copy(n.boundingSphere),Qo.applyMatrix4(s),Qo.radius+=r,t.ray.intersectsSphere(Qo)===!1)return;lf.copy(s).invert(),Fh.copy(t.ray).applyMatrix4(lf);let o=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=o*o,c=n.index,d=n.attributes.position;if(c!==null){let h=Math.max(0,a.start),f=Math.min(c.count,a.start+a.count);for(let p=h,_=f;p<_;p++){let g=c.getX(p);tl.fromBufferAttribute(d,g),cf(tl,g,l,s,t,e,this)}}else{let h=Math.max(0,a.start),f=Math.min(d.count,a.start+a.count);for(let p=h,_=f;p<_;p++)tl.fromBufferAttribute(d,p),cf(tl,p,l,s,t,e,this)}}updateMorphTargets(){let e=this.geometry.morphAttributes,n=Object.keys(e);if(n.length>0){let s=e[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,a=s.length;r<a;r++){let o=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[o]=r}}}}};function cf(i,t,e,n,s,r,a){let o=Fh.distanceSqToPoint(i);if(o<e){let l=new W;Fh.closestPointToPoint(i,l),l.applyMatrix4(n);let c=s.ray.origin.distanceTo(l);if(c<s.near||c>s.far)return;r.push({distance:c,distanceToRay:Math.sqrt(o),point:l,index:t,face:null,faceIndex:null,barycoord:null,object:a})}}var qa=class extends Gn{constructor(t=[],e=Qs,n,s,r,a,o,l,c,u){super(t,e,n,s,r,a,o,l,c,u),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(t){this.image=t}},Ya=class extends Gn{constructor(t,e,n,s,r,a,o,l,c){super(t,e,n,s,r,a,o,l,c),this.isCanvasTexture=!0,this.needsUpdate=!0}};var as=class extends Gn{constructor(t,e,n=Si,s,r,a,o=wn,l=wn,c,u=ss,d=1){if(u!==ss&&u!==ls)throw new Error("THREE.DepthTexture: format must be either THREE.DepthFormat or THREE.DepthStencilFormat");let h={width:t,height:e,depth:d};super(h,s,r,a,o,l,u,n,c),this.isDepthTexture=!0,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(t){return super.copy(t),this.source=new zr(Object.assign({},t.image)),this.compareFunction=t.compareFunction,this}toJSON(t){let e=super.toJSON(t);return e.compareFunction=this.compareFunction,e}},Za=class extends as{constructor(t,e=Si,n=Qs,s,r,a=wn,o=wn,l,c=ss){let u={width:t,height:t,depth:1},d=[u,u,u,u,u,u];super(t,t,e,n,s,r,a,o,l,c),this.image=d,this.isCubeDepthTexture=!0,this.isCubeTexture=!0}get images(){return this.image}set images(t){this.image=t}},$a=class extends Gn{constructor(t=null){super(),this.sourceTexture=t,this.isExternalTexture=!0}copy(t){return super.copy(t),this.sourceTexture=t.sourceTexture,this}},Rs=class i extends dn{constructor(t=1,e=1,n=1,s=1,r=1,a=1){super(),this.type="BoxGeometry",this.parameters={width:t,height:e,depth:n,widthSegments:s,heightSegments:r,depthSegments:a};let o=this;s=Math.floor(s),r=Math.floor(r),a=Math.floor(a);let l=[],c=[],u=[],d=[],h=0,f=0;p("z","y","x",-1,-1,n,e,t,a,r,0),p("z","y","x",1,-1,n,e,-t,a,r,1),p("x","z","y",1,1,t,n,e,s,a,2),p("x","z","y",1,-1,t,n,-e,s,a,3),p("x","y","z",1,-1,t,e,n,s,r,4),p("x","y","z",-1,-1,t,e,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new qe(c,3)),this.setAttribute("normal",new qe(u,3)),this.setAttribute("uv",new qe(d,2));function p(_,g,m,v,A,M,R,T,x,E,O){let N=M/x,D=R/E,z=M/2,G=R/2,L=T/2,H=x+1,Y=E+1,V=0,lt=0,J=new W;for(let j=0;j<Y;j++){let it=j*D-G;for(let ut=0;ut<H;ut++){let ht=ut*N-z;J[_]=ht*v,J[g]=it*A,J[m]=L,c.push(J.x,J.y,J.z),J[_]=0,J[g]=0,J[m]=T>0?1:-1,u.push(J.x,J.y,J.z),d.push(ut/x),d.push(1-j/E),V+=1}}for(let j=0;j<E;j++)for(let it=0;it<x;it++){let ut=h+it+H*j,ht=h+it+H*(j+1),Q=h+(it+1)+H*(j+1),mt=h+(it+1)+H*j;l.push(ut,ht,mt),l.push(ht,Q,mt),lt+=6}o.addGroup(f,lt,O),f+=lt,h+=V}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.width,t.height,t.depth,t.widthSegments,t.heightSegments,t.depthSegments)}};var $s=class i extends dn{constructor(t=1,e=1,n=1,s=32,r=1,a=!1,o=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:t,radiusBottom:e,height:n,radialSegments:s,heightSegments:r,openEnded:a,thetaStart:o,thetaLength:l};let c=this;s=Math.floor(s),r=Math.floor(r);let u=[],d=[],h=[],f=[],p=0,_=[],g=n/2,m=0;v(),a===!1&&(t>0&&A(!0),e>0&&A(!1)),this.setIndex(u),this.setAttribute("position",new qe(d,3)),this.setAttribute("normal",new qe(h,3)),this.setAttribute("uv",new qe(f,2));function v(){let M=new W,R=new W,T=0,x=(e-t)/n;for(let E=0;E<=r;E++){let O=[],N=E/r,D=N*(e-t)+t;for(let z=0;z<=s;z++){let G=z/s,L=G*l+o,H=Math.sin(L),Y=Math.cos(L);R.x=D*H,R.y=-N*n+g,R.z=D*Y,d.push(R.x,R.y,R.z),M.set(H,x,Y).normalize(),h.push(M.x,M.y,M.z),f.push(G,1-N),O.push(p++)}_.push(O)}for(let E=0;E<s;E++)for(let O=0;O<r;O++){let N=_[O][E],D=_[O+1][E],z=_[O+1][E+1],G=_[O][E+1];(t>0||O!==0)&&(u.push(N,D,G),T+=3),(e>0||O!==r-1)&&(u.push(D,z,G),T+=3)}c.addGroup(m,T,0),m+=T}function A(M){let R=p,T=new Kt,x=new W,E=0,O=M===!0?t:e,N=M===!0?1:-1;for(let z=1;z<=s;z++)d.push(0,g*N,0),h.push(0,N,0),f.push(.5,.5),p++;let D=p;for(let z=0;z<=s;z++){let L=z/s*l+o,H=Math.cos(L),Y=Math.sin(L);x.x=O*Y,x.y=g*N,x.z=O*H,d.push(x.x,x.y,x.z),h.push(0,N,0),T.x=H*.5+.5,T.y=Y*.5*N+.5,f.push(T.x,T.y),p++}for(let z=0;z<s;z++){let G=R+z,L=D+z;M===!0?u.push(L,L+1,G):u.push(L+1,L,G),E+=3}c.addGroup(m,E,M===!0?1:2),m+=E}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radiusTop,t.radiusBottom,t.height,t.radialSegments,t.heightSegments,t.openEnded,t.thetaStart,t.thetaLength)}},Ja=class i extends $s{constructor(t=1,e=1,n=32,s=1,r=!1,a=0,o=Math.PI*2){super(0,t,e,n,s,r,a,o),this.type="ConeGeometry",this.parameters={radius:t,height:e,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:a,thetaLength:o}}static fromJSON(t){return new i(t.radius,t.height,t.radialSegments,t.heightSegments,t.openEnded,t.thetaStart,t.thetaLength)}};var Js=class i extends dn{constructor(t=1,e=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:t,height:e,widthSegments:n,heightSegments:s};let r=t/2,a=e/2,o=Math.floor(n),l=Math.floor(s),c=o+1,u=l+1,d=t/o,h=e/l,f=[],p=[],_=[],g=[];for(let m=0;m<u;m++){let v=m*h-a;for(let A=0;A<c;A++){let M=A*d-r;p.push(M,-v,0),_.push(0,0,1),g.push(A/o),g.push(1-m/l)}}for(let m=0;m<l;m++)for(let v=0;v<o;v++){let A=v+c*m,M=v+c*(m+1),R=v+1+c*(m+1),T=v+1+c*m;f.push(A,M,T),f.push(M,R,T)}this.setIndex(f),this.setAttribute("position",new qe(p,3)),this.setAttribute("normal",new qe(_,3)),this.setAttribute("uv",new qe(g,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.width,t.height,t.widthSegments,t.heightSegments)}};var Xr=class i extends dn{constructor(t=1,e=32,n=16,s=0,r=Math.PI*2,a=0,o=Math.PI){super(),this.type="SphereGeometry",this.parameters={radius:t,widthSegments:e,heightSegments:n,phiStart:s,phiLength:r,thetaStart:a,thetaLength:o},e=Math.max(3,Math.floor(e)),n=Math.max(2,Math.floor(n));let l=Math.min(a+o,Math.PI),c=0,u=[],d=new W,h=new W,f=[],p=[],_=[],g=[];for(let m=0;m<=n;m++){let v=[],A=m/n,M=a+A*o,R=t*Math.cos(M),T=Math.sqrt(t*t-R*R),x=0;m===0&&a===0?x=.5/e:m===n&&l===Math.PI&&(x=-.5/e);for(let E=0;E<=e;E++){let O=E/e,N=s+O*r;d.x=-T*Math.cos(N),d.y=R,d.z=T*Math.sin(N),p.push(d.x,d.y,d.z),h.copy(d).normalize(),_.push(h.x,h.y,h.z),g.push(O+x,1-A),v.push(c++)}u.push(v)}for(let m=0;m<n;m++)for(let v=0;v<e;v++){let A=u[m][v+1],M=u[m][v],R=u[m+1][v],T=u[m+1][v+1];(m!==0||a>0)&&f.push(A,M,T),(m!==n-1||l<Math.PI)&&f.push(M,R,T)}this.setIndex(f),this.setAttribute("position",new qe(p,3)),this.setAttribute("normal",new qe(_,3)),this.setAttribute("uv",new qe(g,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radius,t.widthSegments,t.heightSegments,t.phiStart,t.phiLength,t.thetaStart,t.thetaLength)}};var Ka=class i extends dn{constructor(t=1,e=.4,n=12,s=48,r=Math.PI*2,a=0,o=Math.PI*2){super(),this.type="TorusGeometry",this.parameters={radius:t,tube:e,radialSegments:n,tubularSegments:s,arc:r,thetaStart:a,thetaLength:o},n=Math.floor(n),s=Math.floor(s);let l=[],c=[],u=[],d=[],h=new W,f=new W,p=new W;for(let _=0;_<=n;_++){let g=a+_/n*o;for(let m=0;m<=s;m++){let v=m/s*r;f.x=(t+e*Math.cos(g))*Math.cos(v),f.y=(t+e*Math.cos(g))*Math.sin(v),f.z=e*Math.sin(g),c.push(f.x,f.y,f.z),h.x=t*Math.cos(v),h.y=t*Math.sin(v),p.subVectors(f,h).normalize(),u.push(p.x,p.y,p.z),d.push(m/s),d.push(_/n)}}for(let _=1;_<=n;_++)for(let g=1;g<=s;g++){let m=(s+1)*_+g-1,v=(s+1)*(_-1)+g-1,A=(s+1)*(_-1)+g,M=(s+1)*_+g;l.push(m,v,M),l.push(v,A,M)}this.setIndex(l),this.setAttribute("position",new qe(c,3)),this.setAttribute("normal",new qe(u,3)),this.setAttribute("uv",new qe(d,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radius,t.tube,t.radialSegments,t.tubularSegments,t.arc,t.thetaStart,t.thetaLength)}};function er(i){let t={};for(let e in i){t[e]={};for(let n in i[e]){let s=i[e][n];if(hf(s))s.isRenderTargetTexture?(qt("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),t[e][n]=null):t[e][n]=s.clone();else if(Array.isArray(s))if(hf(s[0])){let r=[];for(let a=0,o=s.length;a<o;a++)r[a]=s[a].clone();t[e][n]=r}else t[e][n]=s.slice();else t[e][n]=s}}return t}function Dn(i){let t={};for(let e=0;e<i.length;e++){let n=er(i[e]);for(let s in n)t[s]=n[s]}return t}function hf(i){return i&&(i.isColor||i.isMatrix3||i.isMatrix4||i.isVector2||i.isVector3||i.isVector4||i.isTexture||i.isQuaternion)}function L0(i){let t=[];for(let e=0;e<i.length;e++)t.push(i[e].clone());return t}function gu(i){let t=i.getRenderTarget();return t===null?i.outputColorSpace:t.isXRRenderTarget===!0?t.texture.colorSpace:ge.workingColorSpace}var ip={clone:er,merge:Dn},D0=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,N0=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`,Vi=class extends ki{constructor(t){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=D0,this.fragmentShader=N0,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,t!==void 0&&this.setValues(t)}copy(t){return super.copy(t),this.fragmentShader=t.fragmentShader,this.vertexShader=t.vertexShader,this.uniforms=er(t.uniforms),this.uniformsGroups=L0(t.uniformsGroups),this.defines=Object.assign({},t.defines),this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.fog=t.fog,this.lights=t.lights,this.clipping=t.clipping,this.extensions=Object.assign({},t.extensions),this.glslVersion=t.glslVersion,this.defaultAttributeValues=Object.assign({},t.defaultAttributeValues),this.index0AttributeName=t.index0AttributeName,this.uniformsNeedUpdate=t.uniformsNeedUpdate,this}toJSON(t){let e=super.toJSON(t);e.glslVersion=this.glslVersion,e.uniforms={};for(let s in this.uniforms){let a=this.uniforms[s].value;a&&a.isTexture?e.uniforms[s]={type:"t",value:a.toJSON(t).uuid}:a&&a.isColor?e.uniforms[s]={type:"c",value:a.getHex()}:a&&a.isVector2?e.uniforms[s]={type:"v2",value:a.toArray()}:a&&a.isVector3?e.uniforms[s]={type:"v3",value:a.toArray()}:a&&a.isVector4?e.uniforms[s]={type:"v4",value:a.toArray()}:a&&a.isMatrix3?e.uniforms[s]={type:"m3",value:a.toArray()}:a&&a.isMatrix4?e.uniforms[s]={type:"m4",value:a.toArray()}:e.uniforms[s]={value:a}}Object.keys(this.defines).length>0&&(e.defines=this.defines),e.vertexShader=this.vertexShader,e.fragmentShader=this.fragmentShader,e.lights=this.lights,e.clipping=this.clipping;let n={};for(let s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(e.extensions=n),e}fromJSON(t,e){if(super.fromJSON(t,e),t.uniforms!==void 0)for(let n in t.uniforms){let s=t.uniforms[n];switch(this.uniforms[n]={},s.type){case"t":this.uniforms[n].value=e[s.value]||null;break;case"c":this.uniforms[n].value=new te().setHex(s.value);break;case"v2":this.uniforms[n].value=new Kt().fromArray(s.value);break;case"v3":this.uniforms[n].value=new W().fromArray(s.value);break;case"v4":this.uniforms[n].value=new We().fromArray(s.value);break;case"m3":this.uniforms[n].value=new ee().fromArray(s.value);break;case"m4":this.uniforms[n].value=new ye().fromArray(s.value);break;default:this.uniforms[n].value=s.value}}if(t.defines!==void 0&&(this.defines=t.defines),t.vertexShader!==void 0&&(this.vertexShader=t.vertexShader),t.fragmentShader!==void 0&&(this.fragmentShader=t.fragmentShader),t.glslVersion!==void 0&&(this.glslVersion=t.glslVersion),t.extensions!==void 0)for(let n in t.extensions)this.extensions[n]=t.extensions[n];return t.lights!==void 0&&(this.lights=t.lights),t.clipping!==void 0&&(this.clipping=t.clipping),this}},Ml=class extends Vi{constructor(t){super(t),this.isRawShaderMaterial=!0,this.type="RawShaderMaterial"}};var Cs=class extends ki{constructor(t){super(),this.isMeshLambertMaterial=!0,this.type="MeshLambertMaterial",this.color=new te(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.emissive=new te(0),this.emissiveIntensity=1,this.emissiveMap=null,this.bumpMap=null,this.bumpScale=1,this.normalMap=null,this.normalMapType=wc,this.normalScale=new Kt(1,1),this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new rs,this.combine=Ol,this.reflectivity=1,this.envMapIntensity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.flatShading=!1,this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.lightMap=t.lightMap,this.lightMapIntensity=t.lightMapIntensity,this.aoMap=t.aoMap,this.aoMapIntensity=t.aoMapIntensity,this.emissive.copy(t.emissive),this.emissiveMap=t.emissiveMap,this.emissiveIntensity=t.emissiveIntensity,this.bumpMap=t.bumpMap,this.bumpScale=t.bumpScale,this.normalMap=t.normalMap,this.normalMapType=t.normalMapType,this.normalScale.copy(t.normalScale),this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this.specularMap=t.specularMap,this.alphaMap=t.alphaMap,this.envMap=t.envMap,this.envMapRotation.copy(t.envMapRotation),this.combine=t.combine,this.reflectivity=t.reflectivity,this.envMapIntensity=t.envMapIntensity,this.refractionRatio=t.refractionRatio,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.wireframeLinecap=t.wireframeLinecap,this.wireframeLinejoin=t.wireframeLinejoin,this.flatShading=t.flatShading,this.fog=t.fog,this}},bl=class extends ki{constructor(t){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Vf,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(t)}copy(t){return super.copy(t),this.depthPacking=t.depthPacking,this.map=t.map,this.alphaMap=t.alphaMap,this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this}},wl=class extends ki{constructor(t){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(t)}copy(t){return super.copy(t),this.map=t.map,this.alphaMap=t.alphaMap,this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this}};function Ir(i,t){return!i||i.constructor===t?i:typeof t.BYTES_PER_ELEMENT=="number"?new t(i):Array.prototype.slice.call(i)}function el(i){return i!==void 0&&i.inTangents!==void 0&&i.outTangents!==void 0}var Ps=class{constructor(t,e,n,s){this.parameterPositions=t,this._cachedIndex=0,this.resultBuffer=s!==void 0?s:new e.constructor(n),this.sampleValues=e,this.valueSize=n,this.settings=null,this.DefaultSettings_={}}evaluate(t){let e=this.parameterPositions,n=this._cachedIndex,s=e[n],r=e[n-1];n:{t:{let a;e:{i:if(!(t<s)){for(let o=n+2;;){if(s===void 0){if(t<r)break i;return n=e.length,this._cachedIndex=n,this.copySampleValue_(n-1)}if(n===o)break;if(r=s,s=e[++n],t<s)break t}a=e.length;break e}if(!(t>=r)){let o=e[1];t<o&&(n=2,r=o);for(let l=n-2;;){if(r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(n===l)break;if(s=r,r=e[--n-1],t>=r)break t}a=n,n=0;break e}break n}for(;n<a;){let o=n+a>>>1;t<e[o]?a=o:n=o+1}if(s=e[n],r=e[n-1],r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(s===void 0)return n=e.length,this._cachedIndex=n,this.copySampleValue_(n-1)}this._cachedIndex=n,this.intervalChanged_(n,r,s)}return this.interpolate_(n,r,t,s)}getSettings_(){return this.settings||this.DefaultSettings_}copySampleValue_(t){let e=this.resultBuffer,n=this.sampleValues,s=this.valueSize,r=t*s;for(let a=0;a!==s;++a)e[a]=n[r+a];return e}interpolate_(){throw new Error("THREE.Interpolant: Call to abstract method.")}intervalChanged_(){}},El=class extends Ps{constructor(t,e,n,s){super(t,e,n,s),this._weightPrev=-0,this._offsetPrev=-0,this._weightNext=-0,this._offsetNext=-0,this.DefaultSettings_={endingStart:Dh,endingEnd:Dh}}intervalChanged_(t,e,n){let s=this.parameterPositions,r=t-2,a=t+1,o=s[r],l=s[a];if(o===void 0)switch(this.getSettings_().endingStart){case Nh:r=t,o=2*e-n;break;case Uh:r=s.length-2,o=e+s[r]-s[r+1];break;default:r=t,o=n}if(l===void 0)switch(this.getSettings_().endingEnd){case Nh:a=t,l=2*n-e;break;case Uh:a=1,l=n+s[1]-s[0];break;default:a=t-1,l=e}let c=(n-e)*.5,u=this.valueSize;this._weightPrev=c/(e-o),this._weightNext=c/(l-n),this._offsetPrev=r*u,this._offsetNext=a*u}interpolate_(t,e,n,s){let r=this.resultBuffer,a=this.sampleValues,o=this.valueSize,l=t*o,c=l-o,u=this._offsetPrev,d=this._offsetNext,h=this._weightPrev,f=this._weightNext,p=(n-e)/(s-e),_=p*p,g=_*p,m=-h*g+2*h*_-h*p,v=(1+h)*g+(-1.5-2*h)*_+(-.5+h)*p+1,A=(-1-f)*g+(1.5+f)*_+.5*p,M=f*g-f*_;for(let R=0;R!==o;++R)r[R]=m*a[u+R]+v*a[c+R]+A*a[l+R]+M*a[d+R];return r}},Tl=class extends Ps{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t,e,n,s){let r=this.resultBuffer,a=this.sampleValues,o=this.valueSize,l=t*o,c=l-o,u=(n-e)/(s-e),d=1-u;for(let h=0;h!==o;++h)r[h]=a[c+h]*d+a[l+h]*u;return r}},Al=class extends Ps{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t){return this.copySampleValue_(t-1)}},Rl=class extends Ps{interpolate_(t,e,n,s){let r=this.resultBuffer,a=this.sampleValues,o=this.valueSize,l=t*o,c=l-o,u=this.inTangents,d=this.outTangents;if(!u||!d){let p=(n-e)/(s-e),_=1-p;for(let g=0;g!==o;++g)r[g]=a[c+g]*_+a[l+g]*p;return r}let h=o*2,f=t-1;for(let p=0;p!==o;++p){let _=a[c+p],g=a[l+p],m=f*h+p*2,v=d[m],A=d[m+1],M=t*h+p*2,R=u[M],T=u[M+1],x=F0(n,e,v,R,s);r[p]=sp(x,_,A,T,g)}return r}};function sp(i,t,e,n,s){let r=1-i;return r*r*r*t+3*r*r*i*e+3*r*i*i*n+i*i*i*s}function U0(i,t,e,n,s){let r=1-i;return 3*r*r*(e-t)+6*r*i*(n-e)+3*i*i*(s-n)}function F0(i,t,e,n,s){let r=(i-t)/(s-t);for(let a=0;a<8;a++){let o=sp(r,t,e,n,s)-i;if(Math.abs(o)<1e-10)break;let l=U0(r,t,e,n,s);if(Math.abs(l)<1e-10)break;r=Math.max(0,Math.min(1,r-o/l))}return r}var ni=class{constructor(t,e,n,s){if(t===void 0)throw new Error("THREE.KeyframeTrack: track name is undefined");if(e===void 0||e.length===0)throw new Error("THREE.KeyframeTrack: no keyframes in track named "+t);this.name=t,this.times=Ir(e,this.TimeBufferType),this.values=Ir(n,this.ValueBufferType),this.setInterpolation(s||this.DefaultInterpolation)}static toJSON(t){let e=t.constructor,n;if(e.toJSON!==this.toJSON)n=e.toJSON(t);else{n={name:t.name,times:Ir(t.times,Array),values:Ir(t.values,Array)};let s=t.getInterpolation();s!==t.DefaultInterpolation&&(n.interpolation=s),el(t.settings)&&(n.settings={inTangents:Ir(t.settings.inTangents,Array),outTangents:Ir(t.settings.outTangents,Array)})}return n.type=t.ValueTypeName,n}InterpolantFactoryMethodDiscrete(t){return new Al(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodLinear(t){return new Tl(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodSmooth(t){return new El(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodBezier(t){let e=new Rl(this.times,this.values,this.getValueSize(),t);return this.settings&&(e.inTangents=this.settings.inTangents,e.outTangents=this.settings.outTangents),e}setInterpolation(t){let e;switch(t){case Da:e=this.InterpolantFactoryMethodDiscrete;break;case ml:e=this.InterpolantFactoryMethodLinear;break;case sl:e=this.InterpolantFactoryMethodSmooth;break;case Lh:e=this.InterpolantFactoryMethodBezier;break}if(e===void 0){let n="unsupported interpolation for "+this.ValueTypeName+" keyframe track named "+this.name;if(this.createInterpolant===void 0)if(t!==this.DefaultInterpolation)this.setInterpolation(this.DefaultInterpolation);else throw new Error(n);return qt("KeyframeTrack:",n),this}return this.createInterpolant=e,this}getInterpolation(){switch(this.createInterpolant){case this.InterpolantFactoryMethodDiscrete:return Da;case this.InterpolantFactoryMethodLinear:return ml;case this.InterpolantFactoryMethodSmooth:return sl;case this.InterpolantFactoryMethodBezier:return Lh}}getValueSize(){return this.values.length/this.times.length}shift(t){if(t!==0){let e=this.times;for(let n=0,s=e.length;n!==s;++n)e[n]+=t;el(this.settings)&&(uf(this.settings.inTangents,t),uf(this.settings.outTangents,t))}return this}scale(t){if(t!==1){let e=this.times;for(let n=0,s=e.length;n!==s;++n)e[n]*=t;el(this.settings)&&(df(this.settings.inTangents,t),df(this.settings.outTangents,t))}return this}trim(t,e){let n=this.times,s=n.length,r=0,a=s-1;for(;r!==s&&n[r]<t;)++r;for(;a!==-1&&n[a]>e;)--a;if(++a,r!==0||a!==s){r>=a&&(a=Math.max(a,1),r=a-1);let o=this.getValueSize();this.times=n.slice(r,a),this.values=this.values.slice(r*o,a*o)}return this}validate(){let t=!0,e=this.getValueSize();e-Math.floor(e)!==0&&(Qt("KeyframeTrack: Invalid value size in track.",this),t=!1);let n=this.times,s=this.values,r=n.length;r===0&&(Qt("KeyframeTrack: Track is empty.",this),t=!1);let a=null;for(let o=0;o!==r;o++){let l=n[o];if(typeof l=="number"&&isNaN(l)){Qt("KeyframeTrack: Time is not a valid number.",this,o,l),t=!1;break}if(a!==null&&a>l){Qt("KeyframeTrack: Out of order keys.",this,o,l,a),t=!1;break}a=l}if(s!==void 0&&Kg(s))for(let o=0,l=s.length;o!==l;++o){let c=s[o];if(isNaN(c)){Qt("KeyframeTrack: Value is not a valid number.",this,o,c),t=!1;break}}return t}optimize(){let t=this.times.slice(),e=this.values.slice(),n=this.getValueSize(),s=this.getInterpolation()===sl,r=t.length-1,a=1;for(let o=1;o<r;++o){let l=!1,c=t[o],u=t[o+1];if(c!==u&&(o!==1||c!==t[0]))if(s)l=!0;else{let d=o*n,h=d-n,f=d+n;for(let p=0;p!==n;++p){let _=e[d+p];if(_!==e[h+p]||_!==e[f+p]){l=!0;break}}}if(l){if(o!==a){t[a]=t[o];let d=o*n,h=a*n;for(let f=0;f!==n;++f)e[h+f]=e[d+f]}++a}}if(r>0){t[a]=t[r];for(let o=r*n,l=a*n,c=0;c!==n;++c)e[l+c]=e[o+c];++a}return a!==t.length?(this.times=t.slice(0,a),this.values=e.slice(0,a*n)):(this.times=t,this.values=e),this}clone(){let t=this.times.slice(),e=this.values.slice(),n=this.constructor,s=new n(this.name,t,e);return s.createInterpolant=this.createInterpolant,el(this.settings)&&(s.settings={inTangents:this.settings.inTangents.slice(),outTangents:this.settings.outTangents.slice()}),s}};function uf(i,t){for(let e=0,n=i.length;e!==n;e+=2)i[e]+=t}function df(i,t){for(let e=0,n=i.length;e!==n;e+=2)i[e]*=t}ni.prototype.ValueTypeName="";ni.prototype.TimeBufferType=Float32Array;ni.prototype.ValueBufferType=Float32Array;ni.prototype.DefaultInterpolation=ml;var Is=class extends ni{constructor(t,e,n){super(t,e,n)}};Is.prototype.ValueTypeName="bool";Is.prototype.ValueBufferType=Array;Is.prototype.DefaultInterpolation=Da;Is.prototype.InterpolantFactoryMethodLinear=void 0;Is.prototype.InterpolantFactoryMethodSmooth=void 0;var Cl=class extends ni{constructor(t,e,n,s){super(t,e,n,s)}};Cl.prototype.ValueTypeName="color";var Pl=class extends ni{constructor(t,e,n,s){super(t,e,n,s)}};Pl.prototype.ValueTypeName="number";var Il=class extends Ps{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t,e,n,s){let r=this.resultBuffer,a=this.sampleValues,o=this.valueSize,l=(n-e)/(s-e),c=t*o;for(let u=c+o;c!==u;c+=4)Vn.slerpFlat(r,0,a,c-o,a,c,l);return r}},ja=class extends ni{constructor(t,e,n,s){super(t,e,n,s)}InterpolantFactoryMethodLinear(t){return new Il(this.times,this.values,this.getValueSize(),t)}};ja.prototype.ValueTypeName="quaternion";ja.prototype.InterpolantFactoryMethodSmooth=void 0;var Ls=class extends ni{constructor(t,e,n){super(t,e,n)}};Ls.prototype.ValueTypeName="string";Ls.prototype.ValueBufferType=Array;Ls.prototype.DefaultInterpolation=Da;Ls.prototype.InterpolantFactoryMethodLinear=void 0;Ls.prototype.InterpolantFactoryMethodSmooth=void 0;var Ll=class extends ni{constructor(t,e,n,s){super(t,e,n,s)}};Ll.prototype.ValueTypeName="vector";var Dl=class{constructor(t,e,n){let s=this,r=!1,a=0,o=0,l,c=[];this.onStart=void 0,this.onLoad=t,this.onProgress=e,this.onError=n,this._abortController=null,this.itemStart=function(u){o++,r===!1&&s.onStart!==void 0&&s.onStart(u,a,o),r=!0},this.itemEnd=function(u){a++,s.onProgress!==void 0&&s.onProgress(u,a,o),a===o&&(r=!1,s.onLoad!==void 0&&s.onLoad())},this.itemError=function(u){s.onError!==void 0&&s.onError(u)},this.resolveURL=function(u){return u=u.normalize("NFC"),l?l(u):u},this.setURLModifier=function(u){return l=u,this},this.addHandler=function(u,d){return c.push(u,d),this},this.removeHandler=function(u){let d=c.indexOf(u);return d!==-1&&c.splice(d,2),this},this.getHandler=function(u){for(let d=0,h=c.length;d<h;d+=2){let f=c[d],p=c[d+1];if(f.global&&(f.lastIndex=0),f.test(u))return p}return null},this.abort=function(){return this.abortController.abort(),this._abortController=null,this}}get abortController(){return this._abortController||(this._abortController=new AbortController),this._abortController}},rp=new Dl,Nl=class{constructor(t){this.manager=t!==void 0?t:rp,this.crossOrigin="anonymous",this.withCredentials=!1,this.path="",this.resourcePath="",this.requestHeader={},this.priority="auto",this.cache="default",typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}load(){}loadAsync(t,e){let n=this;return new Promise(function(s,r){n.load(t,s,e,r)})}parse(){}setCrossOrigin(t){return this.crossOrigin=t,this}setWithCredentials(t){return this.withCredentials=t,this}setPath(t){return this.path=t,this}setResourcePath(t){return this.resourcePath=t,this}setRequestHeader(t){return this.requestHeader=t,this}setPriority(t){return this.priority=t,this}setCache(t){return this.cache=t,this}abort(){return this}};Nl.DEFAULT_MATERIAL_NAME="__DEFAULT";var qr=class extends En{static registerNode(t){this.prototype._lightNode=t}constructor(t,e=1){super(),this.isLight=!0,this.type="Light",this.color=new te(t),this.intensity=e}copy(t,e){return super.copy(t,e),this.color.copy(t.color),this.intensity=t.intensity,this}toJSON(t){let e=super.toJSON(t);return e.object.color=this.color.getHex(),e.object.intensity=this.intensity,e}},Qa=class extends qr{constructor(t,e,n){super(t,n),this.isHemisphereLight=!0,this.type="HemisphereLight",this.position.copy(En.DEFAULT_UP),this.updateMatrix(),this.groundColor=new te(e)}copy(t,e){return super.copy(t,e),this.groundColor.copy(t.groundColor),this}toJSON(t){let e=super.toJSON(t);return e.object.groundColor=this.groundColor.getHex(),e}},Ih=new ye,ff=new W,pf=new W,Ul=class{constructor(t){this.camera=t,this.intensity=1,this.bias=0,this.biasNode=null,this.normalBias=0,this.radius=1,this.blurSamples=8,this.mapSize=new Kt(512,512),this.mapType=Xn,this.map=null,this.mapPass=null,this.matrix=new ye,this.autoUpdate=!0,this.needsUpdate=!1,this._frustum=new As,this._frameExtents=new Kt(1,1),this._viewportCount=1,this._viewports=[new We(0,0,1,1)]}getViewportCount(){return this._viewportCount}getCamera(){return this.camera}getFrustum(){return this._frustum}updateMatrices(t){let e=this.camera;ff.setFromMatrixPosition(t.matrixWorld),e.position.copy(ff),pf.setFromMatrixPosition(t.target.matrixWorld),e.lookAt(pf),e.updateMatrixWorld(),this._updateMatrix(e,this.matrix,this._frustum)}_updateMatrix(t,e,n,s){Ih.multiplyMatrices(t.projectionMatrix,t.matrixWorldInverse),n.setFromProjectionMatrix(Ih,t.coordinateSystem,t.reversedDepth);let r=this._frameExtents,a=s?s.z/r.x:1,o=s?s.w/r.y:1,l=s?s.x/r.x:0,c=s?s.y/r.y:0;t.coordinateSystem===Fr||t.reversedDepth?e.set(.5*a,0,0,.5*a+l,0,.5*o,0,.5*o+c,0,0,1,0,0,0,0,1):e.set(.5*a,0,0,.5*a+l,0,.5*o,0,.5*o+c,0,0,.5,.5,0,0,0,1),e.multiply(Ih)}getViewport(t){return this._viewports[t]}getFrameExtents(){return this._frameExtents}dispose(){this.map&&this.map.dispose(),this.mapPass&&this.mapPass.dispose()}copy(t){return this.camera=t.camera.clone(),this.intensity=t.intensity,this.bias=t.bias,this.radius=t.radius,this.autoUpdate=t.autoUpdate,this.needsUpdate=t.needsUpdate,this.normalBias=t.normalBias,this.blurSamples=t.blurSamples,this.mapSize.copy(t.mapSize),this.mapType=t.mapType,this.biasNode=t.biasNode,this}clone(){return new this.constructor().copy(this)}toJSON(){let t={};return t.intensity=this.intensity,t.bias=this.bias,t.normalBias=this.normalBias,t.radius=this.radius,t.blurSamples=this.blurSamples,t.mapSize=this.mapSize.toArray(),t.mapType=this.mapType,t.camera=this.camera.toJSON(!1).object,delete t.camera.matrix,t}},nl=new W,il=new Vn,Ui=new W,to=class extends En{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new ye,this.projectionMatrix=new ye,this.projectionMatrixInverse=new ye,this.coordinateSystem=hi,this._reversedDepth=!1}get reversedDepth(){return this._reversedDepth}copy(t,e){return super.copy(t,e),this.matrixWorldInverse.copy(t.matrixWorldInverse),this.projectionMatrix.copy(t.projectionMatrix),this.projectionMatrixInverse.copy(t.projectionMatrixInverse),this.coordinateSystem=t.coordinateSystem,this}getWorldDirection(t){return super.getWorldDirection(t).negate()}updateMatrixWorld(t){super.updateMatrixWorld(t),this.matrixWorld.decompose(nl,il,Ui),Ui.x===1&&Ui.y===1&&Ui.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(nl,il,Ui.set(1,1,1)).invert()}updateWorldMatrix(t,e,n=!1){super.updateWorldMatrix(t,e,n),this.matrixWorld.decompose(nl,il,Ui),Ui.x===1&&Ui.y===1&&Ui.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(nl,il,Ui.set(1,1,1)).invert()}clone(){return new this.constructor().copy(this)}},ws=new W,mf=new Kt,gf=new Kt,zn=class extends to{constructor(t=50,e=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=t,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=e,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(t,e){return super.copy(t,e),this.fov=t.fov,this.zoom=t.zoom,this.near=t.near,this.far=t.far,this.focus=t.focus,this.aspect=t.aspect,this.view=t.view===null?null:Object.assign({},t.view),this.filmGauge=t.filmGauge,this.filmOffset=t.filmOffset,this}setFocalLength(t){let e=.5*this.getFilmHeight()/t;this.fov=Br*2*Math.atan(e),this.updateProjectionMatrix()}getFocalLength(){let t=Math.tan(Ia*.5*this.fov);return .5*this.getFilmHeight()/t}getEffectiveFOV(){return Br*2*Math.atan(Math.tan(Ia*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(t,e,n){ws.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),e.set(ws.x,ws.y).multiplyScalar(-t/ws.z),ws.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(ws.x,ws.y).multiplyScalar(-t/ws.z)}getViewSize(t,e){return this.getViewBounds(t,mf,gf),e.subVectors(gf,mf)}setViewOffset(t,e,n,s,r,a){this.aspect=t/e,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=t,this.view.fullHeight=e,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=a,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let t=this.near,e=t*Math.tan(Ia*.5*this.fov)/this.zoom,n=2*e,s=this.aspect*n,r=-.5*s,a=this.view;if(this.view!==null&&this.view.enabled){let l=a.fullWidth,c=a.fullHeight;r+=a.offsetX*s/l,e-=a.offsetY*n/c,s*=a.width/l,n*=a.height/c}let o=this.filmOffset;o!==0&&(r+=t*o/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,e,e-n,t,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(t){let e=super.toJSON(t);return e.object.fov=this.fov,e.object.zoom=this.zoom,e.object.near=this.near,e.object.far=this.far,e.object.focus=this.focus,e.object.aspect=this.aspect,this.view!==null&&(e.object.view=Object.assign({},this.view)),e.object.filmGauge=this.filmGauge,e.object.filmOffset=this.filmOffset,e}};var eo=class extends to{constructor(t=-1,e=1,n=1,s=-1,r=.1,a=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=t,this.right=e,this.top=n,this.bottom=s,this.near=r,this.far=a,this.updateProjectionMatrix()}copy(t,e){return super.copy(t,e),this.left=t.left,this.right=t.right,this.top=t.top,this.bottom=t.bottom,this.near=t.near,this.far=t.far,this.zoom=t.zoom,this.view=t.view===null?null:Object.assign({},t.view),this}setViewOffset(t,e,n,s,r,a){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=t,this.view.fullHeight=e,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=a,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let t=(this.right-this.left)/(2*this.zoom),e=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2,r=n-t,a=n+t,o=s+e,l=s-e;if(this.view!==null&&this.view.enabled){let c=(this.right-this.left)/this.view.fullWidth/this.zoom,u=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,a=r+c*this.view.width,o-=u*this.view.offsetY,l=o-u*this.view.height}this.projectionMatrix.makeOrthographic(r,a,o,l,this.near,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(t){let e=super.toJSON(t);return e.object.zoom=this.zoom,e.object.left=this.left,e.object.right=this.right,e.object.top=this.top,e.object.bottom=this.bottom,e.object.near=this.near,e.object.far=this.far,this.view!==null&&(e.object.view=Object.assign({},this.view)),e}},Oh=class extends Ul{constructor(){super(new eo(-5,5,5,-5,.5,500)),this.isDirectionalLightShadow=!0}},no=class extends qr{constructor(t,e){super(t,e),this.isDirectionalLight=!0,this.type="DirectionalLight",this.position.copy(En.DEFAULT_UP),this.updateMatrix(),this.target=new En,this.shadow=new Oh}dispose(){super.dispose(),this.shadow.dispose()}copy(t){return super.copy(t),this.target=t.target.clone(),this.shadow=t.shadow.clone(),this}toJSON(t){let e=super.toJSON(t);return e.object.shadow=this.shadow.toJSON(),e.object.target=this.target.uuid,e}},io=class extends qr{constructor(t,e){super(t,e),this.isAmbientLight=!0,this.type="AmbientLight"}};var Lr=-90,Dr=1,Yr=class extends En{constructor(t,e,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;let s=new zn(Lr,Dr,t,e);s.layers=this.layers,this.add(s);let r=new zn(Lr,Dr,t,e);r.layers=this.layers,this.add(r);let a=new zn(Lr,Dr,t,e);a.layers=this.layers,this.add(a);let o=new zn(Lr,Dr,t,e);o.layers=this.layers,this.add(o);let l=new zn(Lr,Dr,t,e);l.layers=this.layers,this.add(l);let c=new zn(Lr,Dr,t,e);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){let t=this.coordinateSystem,e=this.children.concat(),[n,s,r,a,o,l]=e;for(let c of e)this.remove(c);if(t===hi)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),a.up.set(0,0,1),a.lookAt(0,-1,0),o.up.set(0,1,0),o.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(t===Fr)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),a.up.set(0,0,-1),a.lookAt(0,-1,0),o.up.set(0,-1,0),o.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+t);for(let c of e)this.add(c),c.updateMatrixWorld()}update(t,e){this.parent===null&&this.updateMatrixWorld();let{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==t.coordinateSystem&&(this.coordinateSystem=t.coordinateSystem,this.updateCoordinateSystem());let[r,a,o,l,c,u]=this.children,d=t.getRenderTarget(),h=t.getActiveCubeFace(),f=t.getActiveMipmapLevel(),p=t.xr.enabled;t.xr.enabled=!1;let _=n.texture.mipmapsAutoUpdate;n.texture.mipmapsAutoUpdate=!1;let g=!1;t.isWebGLRenderer===!0?g=t.state.buffers.depth.getReversed():g=t.reversedDepthBuffer,t.setRenderTarget(n,0,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,r),t.setRenderTarget(n,1,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,a),t.setRenderTarget(n,2,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,o),t.setRenderTarget(n,3,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,l),t.setRenderTarget(n,4,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,c),n.texture.mipmapsAutoUpdate=_,t.setRenderTarget(n,5,s),g&&t.autoClear===!1&&t.clearDepth(),t.render(e,u),t.setRenderTarget(d,h,f),t.xr.enabled=p,n.texture.needsPMREMUpdate=!0}},Fl=class extends zn{constructor(t=[]){super(),this.isArrayCamera=!0,this.isMultiViewCamera=!1,this.cameras=t,this.perCameraFrustumCulled=!1}};var _u="\\[\\]\\.:\\/",O0=new RegExp("["+_u+"]","g"),xu="[^"+_u+"]",B0="[^"+_u.replace("\\.","")+"]",z0=/((?:WC+[\/:])*)/.source.replace("WC",xu),k0=/(WCOD+)?/.source.replace("WCOD",B0),V0=/(?:\.(WC+)(?:\[(.+)\])?)?/.source.replace("WC",xu),G0=/\.(WC+)(?:\[(.+)\])?/.source.replace("WC",xu),H0=new RegExp("^"+z0+k0+V0+G0+"$"),W0=["material","materials","bones","map"],Bh=class{constructor(t,e,n){let s=n||ke.parseTrackName(e);this._targetGroup=t,this._bindings=t.subscribe_(e,s)}getValue(t,e){this.bind();let n=this._targetGroup.nCachedObjects_,s=this._bindings[n];s!==void 0&&s.getValue(t,e)}setValue(t,e){let n=this._bindings;for(let s=this._targetGroup.nCachedObjects_,r=n.length;s!==r;++s)n[s].setValue(t,e)}bind(){let t=this._bindings;for(let e=this._targetGroup.nCachedObjects_,n=t.length;e!==n;++e)t[e].bind()}unbind(){let t=this._bindings;for(let e=this._targetGroup.nCachedObjects_,n=t.length;e!==n;++e)t[e].unbind()}},ke=class i{constructor(t,e,n){this.path=e,this.parsedPath=n||i.parseTrackName(e),this.node=i.findNode(t,this.parsedPath.nodeName),this.rootNode=t,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}static create(t,e,n){return t&&t.isAnimationObjectGroup?new i.Composite(t,e,n):new i(t,e,n)}static sanitizeNodeName(t){return t.replace(/\s/g,"_").replace(O0,"")}static parseTrackName(t){let e=H0.exec(t);if(e===null)throw new Error("THREE.PropertyBinding: Cannot parse trackName: "+t);let n={nodeName:e[2],objectName:e[3],objectIndex:e[4],propertyName:e[5],propertyIndex:e[6]},s=n.nodeName&&n.nodeName.lastIndexOf(".");if(s!==void 0&&s!==-1){let r=n.nodeName.substring(s+1);W0.indexOf(r)!==-1&&(n.nodeName=n.nodeName.substring(0,s),n.objectName=r)}if(n.propertyName===null||n.propertyName.length===0)throw new Error("THREE.PropertyBinding: can not parse propertyName from trackName: "+t);return n}static findNode(t,e){if(e===void 0||e===""||e==="."||e===-1||e===t.name||e===t.uuid)return t;if(t.skeleton){let n=t.skeleton.getBoneByName(e);if(n!==void 0)return n}if(t.children){let n=function(r){for(let a=0;a<r.length;a++){let o=r[a];if(o.name===e||o.uuid===e)return o;let l=n(o.children);if(l)return l}return null},s=n(t.children);if(s)return s}return null}_getValue_unavailable(){}_setValue_unavailable(){}_getValue_direct(t,e){t[e]=this.targetObject[this.propertyName]}_getValue_array(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)t[e++]=n[s]}_getValue_arrayElement(t,e){t[e]=this.resolvedProperty[this.propertyIndex]}_getValue_toArray(t,e){this.resolvedProperty.toArray(t,e)}_setValue_direct(t,e){this.targetObject[this.propertyName]=t[e]}_setValue_direct_setNeedsUpdate(t,e){this.targetObject[this.propertyName]=t[e],this.targetObject.needsUpdate=!0}_setValue_direct_setMatrixWorldNeedsUpdate(t,e){this.targetObject[this.propertyName]=t[e],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_array(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++]}_setValue_array_setNeedsUpdate(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++];this.targetObject.needsUpdate=!0}_setValue_array_setMatrixWorldNeedsUpdate(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++];this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_arrayElement(t,e){this.resolvedProperty[this.propertyIndex]=t[e]}_setValue_arrayElement_setNeedsUpdate(t,e){this.resolvedProperty[this.propertyIndex]=t[e],this.targetObject.needsUpdate=!0}_setValue_arrayElement_setMatrixWorldNeedsUpdate(t,e){this.resolvedProperty[this.propertyIndex]=t[e],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_fromArray(t,e){this.resolvedProperty.fromArray(t,e)}_setValue_fromArray_setNeedsUpdate(t,e){this.resolvedProperty.fromArray(t,e),this.targetObject.needsUpdate=!0}_setValue_fromArray_setMatrixWorldNeedsUpdate(t,e){this.resolvedProperty.fromArray(t,e),this.targetObject.matrixWorldNeedsUpdate=!0}_getValue_unbound(t,e){this.bind(),this.getValue(t,e)}_setValue_unbound(t,e){this.bind(),this.setValue(t,e)}bind(){let t=this.node,e=this.parsedPath,n=e.objectName,s=e.propertyName,r=e.propertyIndex;if(t||(t=i.findNode(this.rootNode,e.nodeName),this.node=t),this.getValue=this._getValue_unavailable,this.setValue=this._setValue_unavailable,!t){qt("PropertyBinding: No target node found for track: "+this.path+".");return}if(n){let c=e.objectIndex;switch(n){case"materials":if(!t.material){Qt("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!t.material.materials){Qt("PropertyBinding: Can not bind to material.materials as node.material does not have a materials array.",this);return}t=t.material.materials;break;case"bones":if(!t.skeleton){Qt("PropertyBinding: Can not bind to bones as node does not have a skeleton.",this);return}t=t.skeleton.bones;for(let u=0;u<t.length;u++)if(t[u].name===c){c=u;break}break;case"map":if("map"in t){t=t.map;break}if(!t.material){Qt("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!t.material.map){Qt("PropertyBinding: Can not bind to material.map as node.material does not have a map.",this);return}t=t.material.map;break;default:if(t[n]===void 0){Qt("PropertyBinding: Can not bind to objectName of node undefined.",this);return}t=t[n]}if(c!==void 0){if(t[c]===void 0){Qt("PropertyBinding: Trying to bind to objectIndex of objectName, but is undefined.",this,t);return}t=t[c]}}let a=t[s];if(a===void 0){let c=e.nodeName;Qt("PropertyBinding: Trying to update property for track: "+c+"."+s+" but it wasn't found.",t);return}let o=this.Versioning.None;this.targetObject=t,t.isMaterial===!0?o=this.Versioning.NeedsUpdate:t.isObject3D===!0&&(o=this.Versioning.MatrixWorldNeedsUpdate);let l=this.BindingType.Direct;if(r!==void 0){if(s==="morphTargetInfluences"){if(!t.geometry){Qt("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.",this);return}if(!t.geometry.morphAttributes){Qt("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.morphAttributes.",this);return}t.morphTargetDictionary[r]!==void 0&&(r=t.morphTargetDictionary[r])}l=this.BindingType.ArrayElement,this.resolvedProperty=a,this.propertyIndex=r}else a.fromArray!==void 0&&a.toArray!==void 0?(l=this.BindingType.HasFromToArray,this.resolvedProperty=a):Array.isArray(a)?(l=this.BindingType.EntireArray,this.resolvedProperty=a):this.propertyName=s;this.getValue=this.GetterByBindingType[l],this.setValue=this.SetterByBindingTypeAndVersioning[l][o]}unbind(){this.node=null,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}};ke.Composite=Bh;ke.prototype.BindingType={Direct:0,EntireArray:1,ArrayElement:2,HasFromToArray:3};ke.prototype.Versioning={None:0,NeedsUpdate:1,MatrixWorldNeedsUpdate:2};ke.prototype.GetterByBindingType=[ke.prototype._getValue_direct,ke.prototype._getValue_array,ke.prototype._getValue_arrayElement,ke.prototype._getValue_toArray];ke.prototype.SetterByBindingTypeAndVersioning=[[ke.prototype._setValue_direct,ke.prototype._setValue_direct_setNeedsUpdate,ke.prototype._setValue_direct_setMatrixWorldNeedsUpdate],[ke.prototype._setValue_array,ke.prototype._setValue_array_setNeedsUpdate,ke.prototype._setValue_array_setMatrixWorldNeedsUpdate],[ke.prototype._setValue_arrayElement,ke.prototype._setValue_arrayElement_setNeedsUpdate,ke.prototype._setValue_arrayElement_setMatrixWorldNeedsUpdate],[ke.prototype._setValue_fromArray,ke.prototype._setValue_fromArray_setNeedsUpdate,ke.prototype._setValue_fromArray_setMatrixWorldNeedsUpdate]];var Sw=new Float32Array(1);var Zr=class{constructor(t=1,e=0,n=0){this.radius=t,this.phi=e,this.theta=n}set(t,e,n){return this.radius=t,this.phi=e,this.theta=n,this}copy(t){return this.radius=t.radius,this.phi=t.phi,this.theta=t.theta,this}makeSafe(){return this.phi=fe(this.phi,1e-6,Math.PI-1e-6),this}setFromVector3(t){return this.setFromCartesianCoords(t.x,t.y,t.z)}setFromCartesianCoords(t,e,n){return this.radius=Math.sqrt(t*t+e*e+n*n),this.radius===0?(this.theta=0,this.phi=0):(this.theta=Math.atan2(t,n),this.phi=Math.acos(fe(e/this.radius,-1,1))),this}clone(){return new this.constructor().copy(this)}};var zh=class{static{this.prototype.isMatrix2=!0}constructor(t,e,n,s){this.elements=[1,0,0,1],t!==void 0&&this.set(t,e,n,s)}identity(){return this.set(1,0,0,1),this}fromArray(t,e=0){for(let n=0;n<4;n++)this.elements[n]=t[n+e];return this}set(t,e,n,s){let r=this.elements;return r[0]=t,r[2]=e,r[1]=n,r[3]=s,this}};var so=class extends vi{constructor(t,e=null){super(),this.object=t,this.domElement=e,this.enabled=!0,this.state=-1,this.keys={},this.mouseButtons={LEFT:null,MIDDLE:null,RIGHT:null},this.touches={ONE:null,TWO:null}}connect(t){this.domElement!==null&&this.disconnect(),this.domElement=t}disconnect(){}dispose(){}update(){}};function yu(i,t,e,n){let s=X0(n);switch(e){case su:return i*t;case Wl:return i*t/s.components*s.byteLength;case Xl:return i*t/s.components*s.byteLength;case Fs:return i*t*2/s.components*s.byteLength;case ql:return i*t*2/s.components*s.byteLength;case ru:return i*t*3/s.components*s.byteLength;case bi:return i*t*4/s.components*s.byteLength;case Yl:return i*t*4/s.components*s.byteLength;case oo:case lo:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*8;case co:case ho:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case $l:case Kl:return Math.max(i,16)*Math.max(t,8)/4;case Zl:case Jl:return Math.max(i,8)*Math.max(t,8)/2;case jl:case Ql:case ec:case nc:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*8;case tc:case uo:case ic:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case sc:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case rc:return Math.floor((i+4)/5)*Math.floor((t+3)/4)*16;case ac:return Math.floor((i+4)/5)*Math.floor((t+4)/5)*16;case oc:return Math.floor((i+5)/6)*Math.floor((t+4)/5)*16;case lc:return Math.floor((i+5)/6)*Math.floor((t+5)/6)*16;case cc:return Math.floor((i+7)/8)*Math.floor((t+4)/5)*16;case hc:return Math.floor((i+7)/8)*Math.floor((t+5)/6)*16;case uc:return Math.floor((i+7)/8)*Math.floor((t+7)/8)*16;case dc:return Math.floor((i+9)/10)*Math.floor((t+4)/5)*16;case fc:return Math.floor((i+9)/10)*Math.floor((t+5)/6)*16;case pc:return Math.floor((i+9)/10)*Math.floor((t+7)/8)*16;case mc:return Math.floor((i+9)/10)*Math.floor((t+9)/10)*16;case gc:return Math.floor((i+11)/12)*Math.floor((t+9)/10)*16;case _c:return Math.floor((i+11)/12)*Math.floor((t+11)/12)*16;case xc:case yc:case vc:return Math.ceil(i/4)*Math.ceil(t/4)*16;case Sc:case Mc:return Math.ceil(i/4)*Math.ceil(t/4)*8;case fo:case bc:return Math.ceil(i/4)*Math.ceil(t/4)*16}throw new Error(`Unable to determine texture byte length for ${e} format.`)}function X0(i){switch(i){case Xn:case tu:return{byteLength:1,components:1};case jr:case eu:case Mi:return{byteLength:2,components:1};case Gl:case Hl:return{byteLength:2,components:4};case Si:case Vl:case ui:return{byteLength:4,components:1};case nu:case iu:return{byteLength:4,components:3}}throw new Error(`THREE.TextureUtils: Unknown texture type ${i}.`)}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:"187"}}));typeof window<"u"&&(window.__THREE__?qt("WARNING: Multiple instances of Three.js being imported."):window.__THREE__="187");function Ap(){let i=null,t=!1,e=null,n=null;function s(r,a){n=i.requestAnimationFrame(s),e(r,a)}return{start:function(){t!==!0&&e!==null&&i!==null&&(n=i.requestAnimationFrame(s),t=!0)},stop:function(){i!==null&&i.cancelAnimationFrame(n),t=!1},setAnimationLoop:function(r){e=r},setContext:function(r){i=r}}}function Y0(i){let t=new WeakMap;function e(o,l){let c=o.array,u=o.usage,d=c.byteLength,h=i.createBuffer();i.bindBuffer(l,h),i.bufferData(l,c,u),o.onUploadCallback();let f;if(c instanceof Float32Array)f=i.FLOAT;else if(typeof Float16Array<"u"&&c instanceof Float16Array)f=i.HALF_FLOAT;else if(c instanceof Uint16Array)o.isFloat16BufferAttribute?f=i.HALF_FLOAT:f=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)f=i.SHORT;else if(c instanceof Uint32Array)f=i.UNSIGNED_INT;else if(c instanceof Int32Array)f=i.INT;else if(c instanceof Int8Array)f=i.BYTE;else if(c instanceof Uint8Array)f=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)f=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:h,type:f,bytesPerElement:c.BYTES_PER_ELEMENT,version:o.version,size:d}}function n(o,l,c){let u=l.array,d=l.updateRanges;if(i.bindBuffer(c,o),d.length===0)i.bufferSubData(c,0,u);else{d.sort((f,p)=>f.start-p.start);let h=0;for(let f=1;f<d.length;f++){let p=d[h],_=d[f];_.start<=p.start+p.count+1?p.count=Math.max(p.count,_.start+_.count-p.start):(++h,d[h]=_)}d.length=h+1;for(let f=0,p=d.length;f<p;f++){let _=d[f];i.bufferSubData(c,_.start*u.BYTES_PER_ELEMENT,u,_.start,_.count)}l.clearUpdateRanges()}l.onUploadCallback()}function s(o){return o.isInterleavedBufferAttribute&&(o=o.data),t.get(o)}function r(o){o.isInterleavedBufferAttribute&&(o=o.data);let l=t.get(o);l&&(i.deleteBuffer(l.buffer),t.delete(o))}function a(o,l){if(o.isInterleavedBufferAttribute&&(o=o.data),o.isGLBufferAttribute){let u=t.get(o);(!u||u.version<o.version)&&t.set(o,{buffer:o.buffer,type:o.type,bytesPerElement:o.elementSize,version:o.version});return}let c=t.get(o);if(c===void 0)t.set(o,e(o,l));else if(c.version<o.version){if(c.size!==o.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,o,l),c.version=o.version}}return{get:s,remove:r,update:a}}var Z0=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,$0=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,J0=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,K0=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,j0=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,Q0=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,t_=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,e_=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,n_=`#ifdef USE_BATCHING
	#if ! defined( GL_ANGLE_multi_draw )
	#define gl_DrawID _gl_DrawID
	uniform int _gl_DrawID;
	#endif
	uniform highp sampler2D batchingTexture;
	uniform highp usampler2D batchingIdTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
	float getIndirectIndex( const in int i ) {
		int size = textureSize( batchingIdTexture, 0 ).x;
		int x = i % size;
		int y = i / size;
		return float( texelFetch( batchingIdTexture, ivec2( x, y ), 0 ).r );
	}
#endif
#ifdef USE_BATCHING_COLOR
	uniform sampler2D batchingColorTexture;
	vec4 getBatchingColor( const in float i ) {
		int size = textureSize( batchingColorTexture, 0 ).x;
		int j = int( i );
		int x = j % size;
		int y = j / size;
		return texelFetch( batchingColorTexture, ivec2( x, y ), 0 );
	}
#endif`,i_=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( getIndirectIndex( gl_DrawID ) );
#endif`,s_=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,r_=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,a_=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,o_=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,l_=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,c_=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,h_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,u_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,d_=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,f_=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#endif`,p_=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#endif`,m_=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	varying vec4 vColor;
#endif`,g_=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	vColor = vec4( 1.0 );
#endif
#ifdef USE_COLOR_ALPHA
	vColor *= color;
#elif defined( USE_COLOR )
	vColor.rgb *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.rgb *= instanceColor.rgb;
#endif
#ifdef USE_BATCHING_COLOR
	vColor *= getBatchingColor( getIndirectIndex( gl_DrawID ) );
#endif`,__=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
#define inverseTransformDirection transformDirectionByInverseViewMatrix
vec3 transformNormalByInverseViewMatrix( in vec3 normal, in mat4 viewMatrix ) {
	return normalize( ( vec4( normal, 0.0 ) * viewMatrix ).xyz );
}
vec3 transformDirectionByInverseViewMatrix( in vec3 dir, in mat4 viewMatrix ) {
	return normalize( ( vec4( dir, 0.0 ) * viewMatrix ).xyz );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,x_=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
#endif`,y_=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,v_=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,S_=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	#ifdef DECODE_VIDEO_TEXTURE_EMISSIVE
		emissiveColor = sRGBTransferEOTF( emissiveColor );
	#endif
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,M_=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,b_="gl_FragColor = linearToOutputTexel( gl_FragColor );",w_=`vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferEOTF( in vec4 value ) {
	return vec4( mix( pow( value.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), value.rgb * 0.0773993808, vec3( lessThanEqual( value.rgb, vec3( 0.04045 ) ) ) ), value.a );
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}`,E_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * reflectVec );
		#ifdef ENVMAP_BLENDING_MULTIPLY
			outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_MIX )
			outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_ADD )
			outgoingLight += envColor.xyz * specularStrength * reflectivity;
		#endif
	#endif
#endif`,T_=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform mat3 envMapRotation;
	uniform samplerCube envMap;
	#ifdef ENVMAP_TYPE_PMREM
		float roughnessToMip( const in float roughness ) {
			float r = clamp( roughness, 0.0, 1.0 );
			return ENVMAP_MAX_LOD * r * ( 2.0 - r );
		}
	#endif
#endif`,A_=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,R_=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,C_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,P_=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,I_=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,L_=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,D_=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,N_=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,U_=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,F_=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,O_=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,B_=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
	if ( cutoffDistance > 0.0 ) {
		distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
	}
	return distanceFalloff;
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_SUN_LIGHTS > 0
	struct SunLight {
		vec3 direction;
		vec3 color;
	};
	uniform SunLight sunLights[ NUM_SUN_LIGHTS ];
	void getSunLightInfo( const in SunLight sunLight, out IncidentLight light ) {
		light.color = sunLight.color;
		light.direction = sunLight.direction;
		light.visible = true;
	}
#endif
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif
#include <lightprobes_pars_fragment>`,z_=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * worldNormal, ENVMAP_MAX_LOD );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, pow4( roughness ) ) );
			reflectVec = transformDirectionByInverseViewMatrix( reflectVec, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * reflectVec, roughnessToMip( roughness ) );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_RETROREFLECTION
		vec3 getIBLRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 retroVec = normalize( mix( viewDir, normal, pow4( roughness ) ) );
				retroVec = transformDirectionByInverseViewMatrix( retroVec, viewMatrix );
				vec4 envMapColor = textureLod( envMap, envMapRotation * retroVec, roughnessToMip( roughness ) );
				return envMapColor.rgb * envMapIntensity;
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
		#ifdef USE_RETROREFLECTION
			vec3 getIBLAnisotropyRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
				#ifdef ENVMAP_TYPE_PMREM
					vec3 bentNormal = cross( bitangent, viewDir );
					bentNormal = normalize( cross( bentNormal, bitangent ) );
					bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
					return getIBLRetroRadiance( viewDir, bentNormal, roughness );
				#else
					return vec3( 0.0 );
				#endif
			}
		#endif
	#endif
#endif`,k_=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,V_=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,G_=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,H_=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,W_=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.diffuseContribution = diffuseColor.rgb * ( 1.0 - metalnessFactor );
material.metalness = metalnessFactor;
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.045 );
material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef USE_DIFFUSE_ROUGHNESS
	float diffuseRoughnessFactor = diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		diffuseRoughnessFactor *= texture2D( diffuseRoughnessMap, vDiffuseRoughnessMapUv ).r;
	#endif
	material.diffuseRoughness = saturate( diffuseRoughnessFactor );
#endif
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor;
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = vec3( 0.04 );
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.045 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_RETROREFLECTION
	material.retroreflectivity = retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.0001, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,X_=`uniform sampler2D dfgLUT;
struct PhysicalMaterial {
	vec3 diffuseColor;
	vec3 diffuseContribution;
	vec3 specularColor;
	vec3 specularColorBlended;
	float roughness;
	float metalness;
	float specularF90;
	float dispersion;
	vec2 dfg;
	vec3 multiScatteringCompensation;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float diffuseRoughness;
	#endif
	#ifdef USE_RETROREFLECTION
		float retroreflectivity;
	#endif
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0Dielectric;
		vec3 iridescenceF0Metallic;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
#ifdef USE_DIFFUSE_ROUGHNESS
	const float EON_EPSILON = 1e-7;
	float FON_DirectionalAlbedo( const in float mu, const in float roughness, const in float A ) {
		float muComp = 1.0 - mu;
		float gOverPi = muComp * ( 0.0571085289 + muComp * ( 0.491881867 + muComp * ( - 0.332181442 + muComp * 0.0714429953 ) ) );
		return A * ( 1.0 + roughness * gOverPi );
	}
	vec3 BRDF_EON( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 diffuseColor, const in float roughness ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return BRDF_Lambert( rho );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float s = dot( lightDir, viewDir ) - dotNL * dotNV;
		float sOverT = ( s > 0.0 ) ? s / max( max( dotNL, dotNV ), EON_EPSILON ) : s;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		vec3 singleScatter = rho * RECIPROCAL_PI * A * ( 1.0 + roughness * sOverT );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		float albedoV = FON_DirectionalAlbedo( dotNV, roughness, A );
		float albedoL = FON_DirectionalAlbedo( dotNL, roughness, A );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		vec3 multiScatter = rhoMultiScatter * RECIPROCAL_PI
			* max( EON_EPSILON, 1.0 - albedoV )
			* max( EON_EPSILON, 1.0 - albedoL )
			/ max( EON_EPSILON, 1.0 - averageAlbedo );
		return singleScatter + multiScatter;
	}
	vec3 EON_DirectionalAlbedo( const in vec3 diffuseColor, const in float roughness, const in float dotNV ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return rho;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		float directionalAlbedo = FON_DirectionalAlbedo( dotNV, roughness, A );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		return rho * directionalAlbedo + rhoMultiScatter * ( 1.0 - directionalAlbedo );
	}
#endif
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		return 0.5 / max( gv + gl, EPSILON );
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = max( material.clearcoatRoughness, 0.045 );
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColorBlended;
	float f90 = material.specularF90;
	float roughness = max( material.roughness, 0.045 );
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float alphaT = max( material.alphaT, alpha );
		float V = V_GGX_SmithCorrelated_Anisotropic( alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transpose( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float rInv = 1.0 / ( roughness + 0.1 );
	float a = -1.9362 + 1.0678 * roughness + 0.4573 * r2 - 0.8469 * rInv;
	float b = -0.6014 + 0.5538 * roughness - 0.4670 * r2 - 0.1255 * rInv;
	float DG = exp( a * dotNV + b );
	return saturate( DG );
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	vec2 fab = texture2D( dfgLUT, vec2( roughness, dotNV ) ).rg;
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec2 fab, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec2 fab, const in vec3 specularColor, const in float specularF90, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColorBlended * t2.x + ( material.specularF90 - material.specularColorBlended ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseContribution * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
		#ifdef USE_CLEARCOAT
			vec3 Ncc = geometryClearcoatNormal;
			vec2 uvClearcoat = LTC_Uv( Ncc, viewDir, material.clearcoatRoughness );
			vec4 t1Clearcoat = texture2D( ltc_1, uvClearcoat );
			vec4 t2Clearcoat = texture2D( ltc_2, uvClearcoat );
			mat3 mInvClearcoat = mat3(
				vec3( t1Clearcoat.x, 0, t1Clearcoat.y ),
				vec3(             0, 1,             0 ),
				vec3( t1Clearcoat.z, 0, t1Clearcoat.w )
			);
			vec3 fresnelClearcoat = material.clearcoatF0 * t2Clearcoat.x + ( material.clearcoatF90 - material.clearcoatF0 ) * t2Clearcoat.y;
			clearcoatSpecularDirect += lightColor * fresnelClearcoat * LTC_Evaluate( Ncc, viewDir, position, mInvClearcoat, rectCoords );
		#endif
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
 
 		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
 
 		float sheenAlbedoV = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
 		float sheenAlbedoL = IBLSheenBRDF( geometryNormal, directLight.direction, material.sheenRoughness );
 
 		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * max( sheenAlbedoV, sheenAlbedoL );
 
 		irradiance *= sheenEnergyComp;
 
 	#endif
	vec3 specularBRDF = BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	#ifdef USE_RETROREFLECTION
		vec3 retroViewDir = reflect( - geometryViewDir, geometryNormal );
		vec3 retroSpecularBRDF = BRDF_GGX( directLight.direction, retroViewDir, geometryNormal, material );
		specularBRDF = mix( specularBRDF, retroSpecularBRDF, saturate( material.retroreflectivity ) );
	#endif
	reflectedLight.directSpecular += irradiance * specularBRDF * material.multiScatteringCompensation;
	vec3 halfDir = normalize( directLight.direction + geometryViewDir );
	float dotVH = saturate( dot( geometryViewDir, halfDir ) );
	vec3 F = F_Schlick( material.specularColor, material.specularF90, dotVH );
	#ifdef USE_RETROREFLECTION
		vec3 retroHalfDir = normalize( directLight.direction + retroViewDir );
		float dotRetroVH = saturate( dot( retroViewDir, retroHalfDir ) );
		vec3 retroF = F_Schlick( material.specularColor, material.specularF90, dotRetroVH );
		F = mix( F, retroF, saturate( material.retroreflectivity ) );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		vec3 diffuseBRDF = BRDF_EON( directLight.direction, geometryViewDir, geometryNormal, material.diffuseColor, material.diffuseRoughness ) * ( 1.0 - material.metalness );
	#else
		vec3 diffuseBRDF = BRDF_Lambert( material.diffuseContribution );
	#endif
	reflectedLight.directDiffuse += irradiance * diffuseBRDF * ( 1.0 - F );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScattering, multiScattering );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScattering, multiScattering );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuseAlbedo = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness );
		vec3 diffuse = irradiance * RECIPROCAL_PI * diffuseAlbedo * ( 1.0 - singleScattering - multiScattering );
	#else
		vec3 diffuse = irradiance * BRDF_Lambert( material.diffuseContribution ) * ( 1.0 - singleScattering - multiScattering );
	#endif
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		sheenSpecularIndirect += irradiance * material.sheenColor * sheenAlbedo * RECIPROCAL_PI;
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		diffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectDiffuse += diffuse;
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness ) * RECIPROCAL_PI;
 	#endif
	vec3 singleScatteringDielectric = vec3( 0.0 );
	vec3 multiScatteringDielectric = vec3( 0.0 );
	vec3 singleScatteringMetallic = vec3( 0.0 );
	vec3 multiScatteringMetallic = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscatteringIridescence( material.dfg, material.diffuseColor, material.specularF90, material.iridescence, material.iridescenceF0Metallic, singleScatteringMetallic, multiScatteringMetallic );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscattering( material.dfg, material.diffuseColor, material.specularF90, singleScatteringMetallic, multiScatteringMetallic );
	#endif
	vec3 singleScattering = mix( singleScatteringDielectric, singleScatteringMetallic, material.metalness );
	vec3 multiScattering = mix( multiScatteringDielectric, multiScatteringMetallic, material.metalness );
	vec3 totalScatteringDielectric = singleScatteringDielectric + multiScatteringDielectric;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuse = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness ) * ( 1.0 - totalScatteringDielectric );
	#else
		vec3 diffuse = material.diffuseContribution * ( 1.0 - totalScatteringDielectric );
	#endif
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	vec3 indirectSpecular = radiance * singleScattering;
	indirectSpecular += multiScattering * cosineWeightedIrradiance;
	vec3 indirectDiffuse = diffuse * cosineWeightedIrradiance;
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		indirectSpecular *= sheenEnergyComp;
		indirectDiffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectSpecular += indirectSpecular;
	reflectedLight.indirectDiffuse += indirectDiffuse;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,q_=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		vec3 iridescenceFresnelDielectric = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		vec3 iridescenceFresnelMetallic = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.diffuseColor );
		material.iridescenceFresnel = mix( iridescenceFresnelDielectric, iridescenceFresnelMetallic, material.metalness );
		material.iridescenceF0Dielectric = Schlick_to_F0( iridescenceFresnelDielectric, 1.0, dotNVi );
		material.iridescenceF0Metallic = Schlick_to_F0( iridescenceFresnelMetallic, 1.0, dotNVi );
	}
#endif
#ifdef STANDARD
	float dotNVms = saturate( dot( geometryNormal, geometryViewDir ) );
	material.dfg = texture2D( dfgLUT, vec2( material.roughness, dotNVms ) ).rg;
	#if ( NUM_SUN_LIGHTS > 0 || NUM_DIR_LIGHTS > 0 || NUM_POINT_LIGHTS > 0 || NUM_SPOT_LIGHTS > 0 )
		float EssMs = material.dfg.x + material.dfg.y;
		material.multiScatteringCompensation = 1.0 + material.specularColorBlended * ( 1.0 / EssMs - 1.0 );
	#endif
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS ) && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowIntensity, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowIntensity, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SUN_LIGHTS > 0 ) && defined( RE_Direct )
	SunLight sunLight;
	#if defined( USE_SHADOWMAP ) && NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHTS; i ++ ) {
		sunLight = sunLights[ i ];
		getSunLightInfo( sunLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SUN_LIGHT_SHADOWS )
		sunLightShadow = sunLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getSunShadow( sunShadowMap[ i ], sunLightShadow, UNROLLED_LOOP_INDEX ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowIntensity, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_LIGHT_PROBE_GRIDS > 0
		vec3 probeWorldPos = ( ( vec4( geometryPosition, 1.0 ) - viewMatrix[ 3 ] ) * viewMatrix ).xyz;
		vec3 probeWorldNormal = transformNormalByInverseViewMatrix( geometryNormal, viewMatrix );
		int probeGrid = - 1;
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( isInsideLightProbeGrid( probeWorldPos, probeWorldNormal, probesMin[ i ], probesMax[ i ], probesResolution[ i ] ) ) probeGrid = UNROLLED_LOOP_INDEX;
		}
		#pragma unroll_loop_end
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( probeGrid == UNROLLED_LOOP_INDEX ) irradiance += getLightProbeGridIrradiance( probesSH[ i ], probesMin[ i ], probesMax[ i ], probesResolution[ i ], probeWorldPos, probeWorldNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,Y_=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( ENVMAP_TYPE_PMREM )
		#if defined( STANDARD ) || defined( LAMBERT ) || defined( PHONG )
			iblIrradiance += getIBLIrradiance( geometryNormal );
		#endif
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		vec3 iblRadiance = getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		vec3 iblRadiance = getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_RETROREFLECTION
		#ifdef USE_ANISOTROPY
			vec3 retroIBLRadiance = getIBLAnisotropyRetroRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
		#else
			vec3 retroIBLRadiance = getIBLRetroRadiance( geometryViewDir, geometryNormal, material.roughness );
		#endif
		iblRadiance = mix( iblRadiance, retroIBLRadiance, saturate( material.retroreflectivity ) );
	#endif
	radiance += iblRadiance;
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,Z_=`#if defined( RE_IndirectDiffuse )
	#if defined( LAMBERT ) || defined( PHONG )
		irradiance += iblIrradiance;
	#endif
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,$_=`#if NUM_LIGHT_PROBE_GRIDS > 0
uniform highp sampler3D probesSH[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMin[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMax[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesResolution[ NUM_LIGHT_PROBE_GRIDS ];
bool isInsideLightProbeGrid( vec3 worldPos, vec3 worldNormal, vec3 probesMin, vec3 probesMax, vec3 probesResolution ) {
	vec3 spacing = ( probesMax - probesMin ) / probesResolution;
	vec3 samplePos = worldPos + worldNormal * spacing * 0.5;
	vec3 margin = spacing * 0.01;
	return all( greaterThanEqual( samplePos, probesMin - margin ) ) && all( lessThanEqual( samplePos, probesMax + margin ) );
}
vec3 getLightProbeGridIrradiance( highp sampler3D probesSH, vec3 probesMin, vec3 probesMax, vec3 probesResolution, vec3 worldPos, vec3 worldNormal ) {
	vec3 res = probesResolution;
	vec3 gridRange = probesMax - probesMin;
	vec3 probeSpacing = gridRange / res;
	vec3 samplePos = worldPos + worldNormal * probeSpacing * 0.5;
	vec3 uvw = clamp( ( samplePos - probesMin ) / gridRange, 0.5 / res, 1.0 - 0.5 / res );
	float nz          = res.z;
	float paddedSlices = nz + 2.0;
	float atlasDepth  = 7.0 * paddedSlices;
	float uvZBase     = uvw.z * nz + 1.0;
	vec4 s0 = texture( probesSH, vec3( uvw.xy, ( uvZBase                       ) / atlasDepth ) );
	vec4 s1 = texture( probesSH, vec3( uvw.xy, ( uvZBase +       paddedSlices   ) / atlasDepth ) );
	vec4 s2 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 2.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s3 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 3.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s4 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 4.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s5 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 5.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s6 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 6.0 * paddedSlices   ) / atlasDepth ) );
	vec3 c0 = s0.xyz;
	vec3 c1 = vec3( s0.w, s1.xy );
	vec3 c2 = vec3( s1.zw, s2.x );
	vec3 c3 = s2.yzw;
	vec3 c4 = s3.xyz;
	vec3 c5 = vec3( s3.w, s4.xy );
	vec3 c6 = vec3( s4.zw, s5.x );
	vec3 c7 = s5.yzw;
	vec3 c8 = s6.xyz;
	float x = worldNormal.x, y = worldNormal.y, z = worldNormal.z;
	vec3 result = c0 * 0.886227;
	result += c1 * 2.0 * 0.511664 * y;
	result += c2 * 2.0 * 0.511664 * z;
	result += c3 * 2.0 * 0.511664 * x;
	result += c4 * 2.0 * 0.429043 * x * y;
	result += c5 * 2.0 * 0.429043 * y * z;
	result += c6 * ( 0.743125 * z * z - 0.247708 );
	result += c7 * 2.0 * 0.429043 * x * z;
	result += c8 * 0.429043 * ( x * x - y * y );
	return max( result, vec3( 0.0 ) );
}
#endif`,J_=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,K_=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,j_=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,Q_=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,tx=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = sRGBTransferEOTF( sampledDiffuseColor );
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,ex=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,nx=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,ix=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,sx=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,rx=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,ax=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,ox=`#if defined( USE_MORPHCOLORS )
	#if defined( USE_COLOR_ALPHA )
		vColor *= morphTargetBaseInfluence;
	#elif defined( USE_COLOR )
		vColor.rgb *= morphTargetBaseInfluence;
	#endif
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor.rgb += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,lx=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,cx=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
		uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	#endif
	uniform sampler2DArray morphTargetsTexture;
	uniform ivec2 morphTargetsTextureSize;
	vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
		int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
		int y = texelIndex / morphTargetsTextureSize.x;
		int x = texelIndex - y * morphTargetsTextureSize.x;
		ivec3 morphUV = ivec3( x, y, morphTargetIndex );
		return texelFetch( morphTargetsTexture, morphUV, 0 );
	}
#endif`,hx=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,ux=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#ifdef DOUBLE_SIDED
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#ifdef DOUBLE_SIDED
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,dx=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#if defined( USE_PACKED_NORMALMAP )
		mapN = vec3( mapN.xy, sqrt( saturate( 1.0 - dot( mapN.xy, mapN.xy ) ) ) );
	#endif
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,fx=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,px=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,mx=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
		#ifdef FLIP_SIDED
			vBitangent = - vBitangent;
		#endif
	#endif
#endif`,gx=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,_x=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,xx=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,yx=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,vx=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,Sx=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,Mx=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;const float ShiftRight8 = 1. / 256.;
const float Inv255 = 1. / 255.;
const vec4 PackFactors = vec4( 1.0, 256.0, 256.0 * 256.0, 256.0 * 256.0 * 256.0 );
const vec2 UnpackFactors2 = vec2( UnpackDownscale, 1.0 / PackFactors.g );
const vec3 UnpackFactors3 = vec3( UnpackDownscale / PackFactors.rg, 1.0 / PackFactors.b );
const vec4 UnpackFactors4 = vec4( UnpackDownscale / PackFactors.rgb, 1.0 / PackFactors.a );
vec4 packDepthToRGBA( const in float v ) {
	if( v <= 0.0 )
		return vec4( 0., 0., 0., 0. );
	if( v >= 1.0 )
		return vec4( 1., 1., 1., 1. );
	float vuf;
	float af = modf( v * PackFactors.a, vuf );
	float bf = modf( vuf * ShiftRight8, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec4( vuf * Inv255, gf * PackUpscale, bf * PackUpscale, af );
}
vec3 packDepthToRGB( const in float v ) {
	if( v <= 0.0 )
		return vec3( 0., 0., 0. );
	if( v >= 1.0 )
		return vec3( 1., 1., 1. );
	float vuf;
	float bf = modf( v * PackFactors.b, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec3( vuf * Inv255, gf * PackUpscale, bf );
}
vec2 packDepthToRG( const in float v ) {
	if( v <= 0.0 )
		return vec2( 0., 0. );
	if( v >= 1.0 )
		return vec2( 1., 1. );
	float vuf;
	float gf = modf( v * 256., vuf );
	return vec2( vuf * Inv255, gf );
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors4 );
}
float unpackRGBToDepth( const in vec3 v ) {
	return dot( v, UnpackFactors3 );
}
float unpackRGToDepth( const in vec2 v ) {
	return v.r * UnpackFactors2.r + v.g * UnpackFactors2.g;
}
vec4 pack2HalfToRGBA( const in vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( const in vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	#ifdef USE_REVERSED_DEPTH_BUFFER
	
		return depth * ( far - near ) - far;
	#else
		return depth * ( near - far ) - near;
	#endif
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	
	#ifdef USE_REVERSED_DEPTH_BUFFER
		return ( near * far ) / ( ( near - far ) * depth - near );
	#else
		return ( near * far ) / ( ( far - near ) * depth - far );
	#endif
}`,bx=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,wx=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,Ex=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,Tx=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,Ax=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,Rx=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,Cx=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		#define SUN_LIGHT_CASCADES 2
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#else
			uniform sampler2D sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#endif
		uniform mat4 sunShadowMatrix[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		uniform vec4 sunShadowCascade[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
		struct SunLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SunLightShadow sunLightShadows[ NUM_SUN_LIGHT_SHADOWS ];
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#else
			uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#endif
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#else
			uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#endif
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform samplerCubeShadow pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#elif defined( SHADOWMAP_TYPE_BASIC )
			uniform samplerCube pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#endif
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float interleavedGradientNoise( vec2 position ) {
			return fract( 52.9829189 * fract( dot( position, vec2( 0.06711056, 0.00583715 ) ) ) );
		}
		vec2 vogelDiskSample( int sampleIndex, int samplesCount, float phi ) {
			const float goldenAngle = 2.399963229728653;
			float r = sqrt( ( float( sampleIndex ) + 0.5 ) / float( samplesCount ) );
			float theta = float( sampleIndex ) * goldenAngle + phi;
			return vec2( cos( theta ), sin( theta ) ) * r;
		}
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float getShadow( sampler2DShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
				vec2 radius = shadowRadius * texelSize;
				float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
				shadow = (
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 0, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 1, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 2, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 3, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 4, 5, phi ) * radius, shadowCoord.z ) )
				) * 0.2;
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#elif defined( SHADOWMAP_TYPE_VSM )
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 distribution = texture2D( shadowMap, shadowCoord.xy ).rg;
				float mean = distribution.x;
				float variance = distribution.y * distribution.y;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					float hard_shadow = step( mean, shadowCoord.z );
				#else
					float hard_shadow = step( shadowCoord.z, mean );
				#endif
				
				if ( hard_shadow == 1.0 ) {
					shadow = 1.0;
				} else {
					variance = max( variance, 0.0000001 );
					float d = shadowCoord.z - mean;
					float p_max = variance / ( variance + d * d );
					p_max = clamp( ( p_max - 0.3 ) / 0.65, 0.0, 1.0 );
					shadow = max( hard_shadow, p_max );
				}
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#else
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				float depth = texture2D( shadowMap, shadowCoord.xy ).r;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					shadow = step( depth, shadowCoord.z );
				#else
					shadow = step( shadowCoord.z, depth );
				#endif
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#endif
	#if NUM_SUN_LIGHT_SHADOWS > 0
		float getSunShadow(
			#if defined( SHADOWMAP_TYPE_PCF )
				sampler2DShadow shadowMap,
			#else
				sampler2D shadowMap,
			#endif
			SunLightShadow sunLightShadow,
			int shadowIndex
		) {
			vec4 shadowWorldPosition = vec4( vSunShadowWorldPosition.xyz + vSunShadowWorldNormal * sunLightShadow.shadowNormalBias, 1.0 );
			float viewDepth = vSunShadowWorldPosition.w;
			int cascadeOffset = shadowIndex * SUN_LIGHT_CASCADES;
			float shadow = 1.0;
			for ( int i = SUN_LIGHT_CASCADES - 1; i >= 0; i -- ) {
				vec4 cascade = sunShadowCascade[ cascadeOffset + i ];
				if ( viewDepth >= cascade.x && viewDepth < cascade.y ) {
					float cascadeShadow = getShadow(
						shadowMap,
						sunLightShadow.shadowMapSize,
						sunLightShadow.shadowIntensity,
						sunLightShadow.shadowBias,
						sunLightShadow.shadowRadius,
						sunShadowMatrix[ cascadeOffset + i ] * shadowWorldPosition
					);
					shadow = mix( cascadeShadow, shadow, smoothstep( cascade.z, cascade.y, viewDepth ) );
				}
			}
			return shadow;
		}
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	#if defined( SHADOWMAP_TYPE_PCF )
	float getPointShadow( samplerCubeShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 bd3D = normalize( lightToPosition );
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float lightDistance = length( lightToPosition );
			float depthRange = shadowCameraFar - shadowCameraNear;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				float depthA = - shadowCameraNear / depthRange - shadowBias;
				float depthB = shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#else
				float depthA = shadowCameraFar / depthRange + shadowBias;
				float depthB = - shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#endif
			float texelSize = shadowRadius / shadowMapSize.x;
			vec3 absDir = abs( bd3D );
			vec3 tangent = absDir.x > absDir.z ? vec3( 0.0, 1.0, 0.0 ) : vec3( 1.0, 0.0, 0.0 );
			tangent = normalize( cross( bd3D, tangent ) );
			vec3 bitangent = cross( bd3D, tangent );
			float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
			shadow = 0.0;
			for ( int i = 0; i < 5; i ++ ) {
				vec2 offset = vogelDiskSample( i, 5, phi );
				vec3 direction = bd3D + ( tangent * offset.x + bitangent * offset.y ) * texelSize;
				vec3 absDirection = abs( direction );
				float dp = depthA + depthB / max( max( absDirection.x, absDirection.y ), absDirection.z );
				shadow += texture( shadowMap, vec4( direction, dp ) );
			}
			shadow *= 0.2;
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#elif defined( SHADOWMAP_TYPE_BASIC )
	float getPointShadow( samplerCube shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float dp = ( shadowCameraFar * ( viewSpaceZ - shadowCameraNear ) ) / ( viewSpaceZ * ( shadowCameraFar - shadowCameraNear ) );
			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			float depth = textureCube( shadowMap, bd3D ).r;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				depth = 1.0 - depth;
			#endif
			shadow = step( dp, depth );
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#endif
	#endif
#endif`,Px=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,Ix=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_SUN_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	#ifdef HAS_NORMAL
		vec3 shadowWorldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
	#else
		vec3 shadowWorldNormal = vec3( 0.0 );
	#endif
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_SUN_LIGHT_SHADOWS > 0
		vSunShadowWorldPosition = vec4( worldPosition.xyz, - mvPosition.z );
		vSunShadowWorldNormal = shadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,Lx=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHT_SHADOWS; i ++ ) {
		sunLight = sunLightShadows[ i ];
		shadow *= receiveShadow ? getSunShadow( sunShadowMap[ i ], sunLight, UNROLLED_LOOP_INDEX ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowIntensity, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowIntensity, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0 && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowIntensity, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,Dx=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,Nx=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,Ux=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,Fx=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,Ox=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,Bx=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,zx=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,kx=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 CineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,Vx=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseContribution, material.specularColorBlended, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,Gx=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		#else
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,Hx=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,Wx=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	uniform mat3 diffuseRoughnessMapTransform;
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,Xx=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	vDiffuseRoughnessMapUv = ( diffuseRoughnessMapTransform * vec3( DIFFUSE_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,qx=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`,Yx=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,Zx=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,$x=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,Jx=`uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <envmap_common_pars_fragment>
void main() {
	#ifdef ENVMAP_TYPE_PMREM
		vec4 texColor = textureLod( envMap, backgroundRotation * vWorldDirection, roughnessToMip( backgroundBlurriness ) );
	#else
		vec4 texColor = textureCube( envMap, backgroundRotation * vWorldDirection );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Kx=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,jx=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Qx=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,ty=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	#ifdef USE_REVERSED_DEPTH_BUFFER
		float fragCoordZ = vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ];
	#else
		float fragCoordZ = 0.5 * vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ] + 0.5;
	#endif
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#elif DEPTH_PACKING == 3202
		gl_FragColor = vec4( packDepthToRGB( fragCoordZ ), 1.0 );
	#elif DEPTH_PACKING == 3203
		gl_FragColor = vec4( packDepthToRG( fragCoordZ ), 0.0, 1.0 );
	#endif
}`,ey=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,ny=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = vec4( dist, 0.0, 0.0, 1.0 );
}`,iy=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,sy=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,ry=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,ay=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,oy=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,ly=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,cy=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,hy=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,uy=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,dy=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,fy=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,py=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( normalize( normal ) * 0.5 + 0.5, diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,my=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,gy=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,_y=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,xy=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DIFFUSE_ROUGHNESS
	uniform float diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		uniform sampler2D diffuseRoughnessMap;
	#endif
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_RETROREFLECTION
	uniform float retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
 
		outgoingLight = outgoingLight + sheenSpecularDirect + sheenSpecularIndirect;
 
 	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,yy=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,vy=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Sy=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,My=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,by=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,wy=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,Ey=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix[ 3 ];
	vec2 scale = vec2( length( modelMatrix[ 0 ].xyz ), length( modelMatrix[ 1 ].xyz ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,Ty=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,ce={alphahash_fragment:Z0,alphahash_pars_fragment:$0,alphamap_fragment:J0,alphamap_pars_fragment:K0,alphatest_fragment:j0,alphatest_pars_fragment:Q0,aomap_fragment:t_,aomap_pars_fragment:e_,batching_pars_vertex:n_,batching_vertex:i_,begin_vertex:s_,beginnormal_vertex:r_,bsdfs:a_,iridescence_fragment:o_,bumpmap_pars_fragment:l_,clipping_planes_fragment:c_,clipping_planes_pars_fragment:h_,clipping_planes_pars_vertex:u_,clipping_planes_vertex:d_,color_fragment:f_,color_pars_fragment:p_,color_pars_vertex:m_,color_vertex:g_,common:__,defaultnormal_vertex:x_,displacementmap_pars_vertex:y_,displacementmap_vertex:v_,emissivemap_fragment:S_,emissivemap_pars_fragment:M_,colorspace_fragment:b_,colorspace_pars_fragment:w_,envmap_fragment:E_,envmap_common_pars_fragment:T_,envmap_pars_fragment:A_,envmap_pars_vertex:R_,envmap_physical_pars_fragment:z_,envmap_vertex:C_,fog_vertex:P_,fog_pars_vertex:I_,fog_fragment:L_,fog_pars_fragment:D_,gradientmap_pars_fragment:N_,lightmap_pars_fragment:U_,lights_lambert_fragment:F_,lights_lambert_pars_fragment:O_,lights_pars_begin:B_,lights_toon_fragment:k_,lights_toon_pars_fragment:V_,lights_phong_fragment:G_,lights_phong_pars_fragment:H_,lights_physical_fragment:W_,lights_physical_pars_fragment:X_,lights_fragment_begin:q_,lights_fragment_maps:Y_,lights_fragment_end:Z_,lightprobes_pars_fragment:$_,logdepthbuf_fragment:J_,logdepthbuf_pars_fragment:K_,logdepthbuf_pars_vertex:j_,logdepthbuf_vertex:Q_,map_fragment:tx,map_pars_fragment:ex,map_particle_fragment:nx,map_particle_pars_fragment:ix,metalnessmap_fragment:sx,metalnessmap_pars_fragment:rx,morphinstance_vertex:ax,morphcolor_vertex:ox,morphnormal_vertex:lx,morphtarget_pars_vertex:cx,morphtarget_vertex:hx,normal_fragment_begin:ux,normal_fragment_maps:dx,normal_pars_fragment:fx,normal_pars_vertex:px,normal_vertex:mx,normalmap_pars_fragment:gx,clearcoat_normal_fragment_begin:_x,clearcoat_normal_fragment_maps:xx,clearcoat_pars_fragment:yx,iridescence_pars_fragment:vx,opaque_fragment:Sx,packing:Mx,premultiplied_alpha_fragment:bx,project_vertex:wx,dithering_fragment:Ex,dithering_pars_fragment:Tx,roughnessmap_fragment:Ax,roughnessmap_pars_fragment:Rx,shadowmap_pars_fragment:Cx,shadowmap_pars_vertex:Px,shadowmap_vertex:Ix,shadowmask_pars_fragment:Lx,skinbase_vertex:Dx,skinning_pars_vertex:Nx,skinning_vertex:Ux,skinnormal_vertex:Fx,specularmap_fragment:Ox,specularmap_pars_fragment:Bx,tonemapping_fragment:zx,tonemapping_pars_fragment:kx,transmission_fragment:Vx,transmission_pars_fragment:Gx,uv_pars_fragment:Hx,uv_pars_vertex:Wx,uv_vertex:Xx,worldpos_vertex:qx,background_vert:Yx,background_frag:Zx,backgroundCube_vert:$x,backgroundCube_frag:Jx,cube_vert:Kx,cube_frag:jx,depth_vert:Qx,depth_frag:ty,distance_vert:ey,distance_frag:ny,equirect_vert:iy,equirect_frag:sy,linedashed_vert:ry,linedashed_frag:ay,meshbasic_vert:oy,meshbasic_frag:ly,meshlambert_vert:cy,meshlambert_frag:hy,meshmatcap_vert:uy,meshmatcap_frag:dy,meshnormal_vert:fy,meshnormal_frag:py,meshphong_vert:my,meshphong_frag:gy,meshphysical_vert:_y,meshphysical_frag:xy,meshtoon_vert:yy,meshtoon_frag:vy,points_vert:Sy,points_frag:My,shadow_vert:by,shadow_frag:wy,sprite_vert:Ey,sprite_frag:Ty},Lt={common:{diffuse:{value:new te(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new ee},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new ee}},envmap:{envMap:{value:null},envMapRotation:{value:new ee},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98},dfgLUT:{value:null}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new ee}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new ee}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new ee},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new ee},normalScale:{value:new Kt(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new ee},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new ee}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new ee}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new ee}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new te(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},sunLights:{value:[],properties:{direction:{},color:{}}},sunLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},sunShadowMatrix:{value:[]},sunShadowCascade:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null},probesSH:{value:[]},probesMin:{value:[]},probesMax:{value:[]},probesResolution:{value:[]}},points:{diffuse:{value:new te(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0},uvTransform:{value:new ee}},sprite:{diffuse:{value:new te(16777215)},opacity:{value:1},center:{value:new Kt(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new ee},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0}}},Wi={basic:{uniforms:Dn([Lt.common,Lt.specularmap,Lt.envmap,Lt.aomap,Lt.lightmap,Lt.fog]),vertexShader:ce.meshbasic_vert,fragmentShader:ce.meshbasic_frag},lambert:{uniforms:Dn([Lt.common,Lt.specularmap,Lt.envmap,Lt.aomap,Lt.lightmap,Lt.emissivemap,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,Lt.fog,Lt.lights,{emissive:{value:new te(0)},envMapIntensity:{value:1}}]),vertexShader:ce.meshlambert_vert,fragmentShader:ce.meshlambert_frag},phong:{uniforms:Dn([Lt.common,Lt.specularmap,Lt.envmap,Lt.aomap,Lt.lightmap,Lt.emissivemap,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,Lt.fog,Lt.lights,{emissive:{value:new te(0)},specular:{value:new te(1118481)},shininess:{value:30},envMapIntensity:{value:1}}]),vertexShader:ce.meshphong_vert,fragmentShader:ce.meshphong_frag},standard:{uniforms:Dn([Lt.common,Lt.envmap,Lt.aomap,Lt.lightmap,Lt.emissivemap,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,Lt.roughnessmap,Lt.metalnessmap,Lt.fog,Lt.lights,{emissive:{value:new te(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:ce.meshphysical_vert,fragmentShader:ce.meshphysical_frag},toon:{uniforms:Dn([Lt.common,Lt.aomap,Lt.lightmap,Lt.emissivemap,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,Lt.gradientmap,Lt.fog,Lt.lights,{emissive:{value:new te(0)}}]),vertexShader:ce.meshtoon_vert,fragmentShader:ce.meshtoon_frag},matcap:{uniforms:Dn([Lt.common,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,Lt.fog,{matcap:{value:null}}]),vertexShader:ce.meshmatcap_vert,fragmentShader:ce.meshmatcap_frag},points:{uniforms:Dn([Lt.points,Lt.fog]),vertexShader:ce.points_vert,fragmentShader:ce.points_frag},dashed:{uniforms:Dn([Lt.common,Lt.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:ce.linedashed_vert,fragmentShader:ce.linedashed_frag},depth:{uniforms:Dn([Lt.common,Lt.displacementmap]),vertexShader:ce.depth_vert,fragmentShader:ce.depth_frag},normal:{uniforms:Dn([Lt.common,Lt.bumpmap,Lt.normalmap,Lt.displacementmap,{opacity:{value:1}}]),vertexShader:ce.meshnormal_vert,fragmentShader:ce.meshnormal_frag},sprite:{uniforms:Dn([Lt.sprite,Lt.fog]),vertexShader:ce.sprite_vert,fragmentShader:ce.sprite_frag},background:{uniforms:{uvTransform:{value:new ee},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:ce.background_vert,fragmentShader:ce.background_frag},backgroundCube:{uniforms:{envMap:{value:null},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new ee}},vertexShader:ce.backgroundCube_vert,fragmentShader:ce.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:ce.cube_vert,fragmentShader:ce.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:ce.equirect_vert,fragmentShader:ce.equirect_frag},distance:{uniforms:Dn([Lt.common,Lt.displacementmap,{referencePosition:{value:new W},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:ce.distance_vert,fragmentShader:ce.distance_frag},shadow:{uniforms:Dn([Lt.lights,Lt.fog,{color:{value:new te(0)},opacity:{value:1}}]),vertexShader:ce.shadow_vert,fragmentShader:ce.shadow_frag}};Wi.physical={uniforms:Dn([Wi.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new ee},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new ee},clearcoatNormalScale:{value:new Kt(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new ee},diffuseRoughness:{value:0},diffuseRoughnessMap:{value:null},diffuseRoughnessMapTransform:{value:new ee},dispersion:{value:0},retroreflectivity:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new ee},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new ee},sheen:{value:0},sheenColor:{value:new te(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new ee},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new ee},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new ee},transmissionSamplerSize:{value:new Kt},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new ee},attenuationDistance:{value:0},attenuationColor:{value:new te(0)},specularColor:{value:new te(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new ee},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new ee},anisotropyVector:{value:new Kt},anisotropyMap:{value:null},anisotropyMapTransform:{value:new ee}}]),vertexShader:ce.meshphysical_vert,fragmentShader:ce.meshphysical_frag};var Ec={r:0,b:0,g:0},Ay=new ye,Rp=new ee;Rp.set(-1,0,0,0,1,0,0,0,1);function Ry(i,t,e,n,s,r){let a=new te(0),o=s===!0?0:1,l,c,u=null,d=0,h=null;function f(v){let A=v.isScene===!0?v.background:null;if(A&&A.isTexture){let M=v.backgroundBlurriness>0;A=t.get(A,M)}return A}function p(v){let A=!1,M=f(v);M===null?g(a,o):M&&M.isColor&&(g(M,1),A=!0);let R=i.xr.getEnvironmentBlendMode();R==="additive"?e.buffers.color.setClear(0,0,0,1,r):R==="alpha-blend"&&e.buffers.color.setClear(0,0,0,0,r),(i.autoClear||A)&&(e.buffers.depth.setTest(!0),e.buffers.depth.setMask(!0),e.buffers.color.setMask(!0),i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil))}function _(v,A){let M=f(A);M&&M.isCubeTexture?(c===void 0&&(c=new Cn(new Rs(1,1,1),new Vi({name:"BackgroundCubeMaterial",uniforms:er(Wi.backgroundCube.uniforms),vertexShader:Wi.backgroundCube.vertexShader,fragmentShader:Wi.backgroundCube.fragmentShader,side:Hn,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),c.geometry.deleteAttribute("normal"),c.geometry.deleteAttribute("uv"),c.onBeforeRender=function(R,T,x){this.matrixWorld.copyPosition(x.matrixWorld)},Object.defineProperty(c.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),n.update(c)),c.material.uniforms.envMap.value=M,c.material.uniforms.backgroundBlurriness.value=A.backgroundBlurriness,c.material.uniforms.backgroundIntensity.value=A.backgroundIntensity,c.material.uniforms.backgroundRotation.value.setFromMatrix4(Ay.makeRotationFromEuler(A.backgroundRotation)).transpose(),M.isRenderTargetTexture===!1&&c.material.uniforms.backgroundRotation.value.premultiply(Rp),c.material.toneMapped=ge.getTransfer(M.colorSpace)!==Ee,(u!==M||d!==M.version||h!==i.toneMapping)&&(c.material.needsUpdate=!0,u=M,d=M.version,h=i.toneMapping),c.layers.enableAll(),v.unshift(c,c.geometry,c.material,0,0,null)):M&&M.isTexture&&(l===void 0&&(l=new Cn(new Js(2,2),new Vi({name:"BackgroundMaterial",uniforms:er(Wi.background.uniforms),vertexShader:Wi.background.vertexShader,fragmentShader:Wi.background.fragmentShader,side:Us,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),l.geometry.deleteAttribute("normal"),Object.defineProperty(l.material,"map",{get:function(){return this.uniforms.t2D.value}}),n.update(l)),l.material.uniforms.t2D.value=M,l.material.uniforms.backgroundIntensity.value=A.backgroundIntensity,l.material.toneMapped=ge.getTransfer(M.colorSpace)!==Ee,M.matrixAutoUpdate===!0&&M.updateMatrix(),l.material.uniforms.uvTransform.value.copy(M.matrix),(u!==M||d!==M.version||h!==i.toneMapping)&&(l.material.needsUpdate=!0,u=M,d=M.version,h=i.toneMapping),l.layers.enableAll(),v.unshift(l,l.geometry,l.material,0,0,null))}function g(v,A){v.getRGB(Ec,gu(i)),e.buffers.color.setClear(Ec.r,Ec.g,Ec.b,A,r)}function m(){c!==void 0&&(c.geometry.dispose(),c.material.dispose(),c=void 0),l!==void 0&&(l.geometry.dispose(),l.material.dispose(),l=void 0)}return{getClearColor:function(){return a},setClearColor:function(v,A=1){a.set(v),o=A,g(a,o)},getClearAlpha:function(){return o},setClearAlpha:function(v){o=v,g(a,o)},render:p,addToRenderList:_,dispose:m}}function Cy(i,t){let e=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=h(null),r=s,a=!1;function o(D,z,G,L,H){let Y=!1,V=d(D,L,G,z);r!==V&&(r=V,c(r.object)),Y=f(D,L,G,H),Y&&p(D,L,G,H),H!==null&&t.update(H,i.ELEMENT_ARRAY_BUFFER),(Y||a)&&(a=!1,M(D,z,G,L),H!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,t.get(H).buffer))}function l(){return i.createVertexArray()}function c(D){return i.bindVertexArray(D)}function u(D){return i.deleteVertexArray(D)}function d(D,z,G,L){let H=L.wireframe===!0,Y=n[z.id];Y===void 0&&(Y={},n[z.id]=Y);let V=D.isInstancedMesh===!0?D.id:0,lt=Y[V];lt===void 0&&(lt={},Y[V]=lt);let J=lt[G.id];J===void 0&&(J={},lt[G.id]=J);let j=J[H];return j===void 0&&(j=h(l()),J[H]=j),j}function h(D){let z=[],G=[],L=[];for(let H=0;H<e;H++)z[H]=0,G[H]=0,L[H]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:z,enabledAttributes:G,attributeDivisors:L,object:D,attributes:{},index:null}}function f(D,z,G,L){let H=r.attributes,Y=z.attributes,V=0,lt=G.getAttributes();for(let J in lt)if(lt[J].location>=0){let it=H[J],ut=Y[J];if(ut===void 0&&(J==="instanceMatrix"&&D.instanceMatrix&&(ut=D.instanceMatrix),J==="instanceColor"&&D.instanceColor&&(ut=D.instanceColor)),it===void 0||it.attribute!==ut||ut&&it.data!==ut.data)return!0;V++}return r.attributesNum!==V||r.index!==L}function p(D,z,G,L){let H={},Y=z.attributes,V=0,lt=G.getAttributes();for(let J in lt)if(lt[J].location>=0){let it=Y[J];it===void 0&&(J==="instanceMatrix"&&D.instanceMatrix&&(it=D.instanceMatrix),J==="instanceColor"&&D.instanceColor&&(it=D.instanceColor));let ut={};ut.attribute=it,it&&it.data&&(ut.data=it.data),H[J]=ut,V++}r.attributes=H,r.attributesNum=V,r.index=L}function _(){let D=r.newAttributes;for(let z=0,G=D.length;z<G;z++)D[z]=0}function g(D){m(D,0)}function m(D,z){let G=r.newAttributes,L=r.enabledAttributes,H=r.attributeDivisors;G[D]=1,L[D]===0&&(i.enableVertexAttribArray(D),L[D]=1),H[D]!==z&&(i.vertexAttribDivisor(D,z),H[D]=z)}function v(){let D=r.newAttributes,z=r.enabledAttributes;for(let G=0,L=z.length;G<L;G++)z[G]!==D[G]&&(i.disableVertexAttribArray(G),z[G]=0)}function A(D,z,G,L,H,Y,V){V===!0?i.vertexAttribIPointer(D,z,G,H,Y):i.vertexAttribPointer(D,z,G,L,H,Y)}function M(D,z,G,L){_();let H=L.attributes,Y=G.getAttributes(),V=z.defaultAttributeValues;for(let lt in Y){let J=Y[lt];if(J.location>=0){let j=H[lt];if(j===void 0&&(lt==="instanceMatrix"&&D.instanceMatrix&&(j=D.instanceMatrix),lt==="instanceColor"&&D.instanceColor&&(j=D.instanceColor)),j!==void 0){let it=j.normalized,ut=j.itemSize,ht=t.get(j);if(ht===void 0)continue;let Q=ht.buffer,mt=ht.type,xt=ht.bytesPerElement,At=mt===i.INT||mt===i.UNSIGNED_INT||j.gpuType===Vl;if(j.isInterleavedBufferAttribute){let Mt=j.data,Ht=Mt.isInterleavedBuffer===!0?Mt.stride:Mt.itemSize,se=j.offset;if(Mt.isInstancedInterleavedBuffer||Mt.isInstancedBufferAttribute){for(let Vt=0;Vt<J.locationSize;Vt++)m(J.location+Vt,Mt.meshPerAttribute);D.isInstancedMesh!==!0&&L._maxInstanceCount===void 0&&(L._maxInstanceCount=Mt.meshPerAttribute*Mt.count)}else for(let Vt=0;Vt<J.locationSize;Vt++)g(J.location+Vt);i.bindBuffer(i.ARRAY_BUFFER,Q);for(let Vt=0;Vt<J.locationSize;Vt++)A(J.location+Vt,ut/J.locationSize,mt,it,Ht*xt,(se+ut/J.locationSize*Vt)*xt,At)}else{if(j.isInstancedBufferAttribute){for(let Mt=0;Mt<J.locationSize;Mt++)m(J.location+Mt,j.meshPerAttribute);D.isInstancedMesh!==!0&&L._maxInstanceCount===void 0&&(L._maxInstanceCount=j.meshPerAttribute*j.count)}else for(let Mt=0;Mt<J.locationSize;Mt++)g(J.location+Mt);i.bindBuffer(i.ARRAY_BUFFER,Q);for(let Mt=0;Mt<J.locationSize;Mt++)A(J.location+Mt,ut/J.locationSize,mt,it,ut*xt,ut/J.locationSize*Mt*xt,At)}}else if(V!==void 0){let it=V[lt];if(it!==void 0)switch(it.length){case 2:i.vertexAttrib2fv(J.location,it);break;case 3:i.vertexAttrib3fv(J.location,it);break;case 4:i.vertexAttrib4fv(J.location,it);break;default:i.vertexAttrib1fv(J.location,it)}}}}v()}function R(){O();for(let D in n){let z=n[D];for(let G in z){let L=z[G];for(let H in L){let Y=L[H];for(let V in Y)u(Y[V].object),delete Y[V];delete L[H]}}delete n[D]}}function T(D){if(n[D.id]===void 0)return;let z=n[D.id];for(let G in z){let L=z[G];for(let H in L){let Y=L[H];for(let V in Y)u(Y[V].object),delete Y[V];delete L[H]}}delete n[D.id]}function x(D){for(let z in n){let G=n[z];for(let L in G){let H=G[L];if(H[D.id]===void 0)continue;let Y=H[D.id];for(let V in Y)u(Y[V].object),delete Y[V];delete H[D.id]}}}function E(D){for(let z in n){let G=n[z],L=D.isInstancedMesh===!0?D.id:0,H=G[L];if(H!==void 0){for(let Y in H){let V=H[Y];for(let lt in V)u(V[lt].object),delete V[lt];delete H[Y]}delete G[L],Object.keys(G).length===0&&delete n[z]}}}function O(){N(),a=!0,r!==s&&(r=s,c(r.object))}function N(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:o,reset:O,resetDefaultState:N,dispose:R,releaseStatesOfGeometry:T,releaseStatesOfObject:E,releaseStatesOfProgram:x,initAttributes:_,enableAttribute:g,disableUnusedAttributes:v}}function Py(i,t,e){let n;function s(l){n=l}function r(l,c){i.drawArrays(n,l,c),e.update(c,n,1)}function a(l,c,u){u!==0&&(i.drawArraysInstanced(n,l,c,u),e.update(c,n,u))}function o(l,c,u){if(u===0)return;t.get("WEBGL_multi_draw").multiDrawArraysWEBGL(n,l,0,c,0,u);let h=0;for(let f=0;f<u;f++)h+=c[f];e.update(h,n,1)}this.setMode=s,this.render=r,this.renderInstances=a,this.renderMultiDraw=o}function Iy(i,t,e,n){let s;function r(){if(s!==void 0)return s;if(t.has("EXT_texture_filter_anisotropic")===!0){let x=t.get("EXT_texture_filter_anisotropic");s=i.getParameter(x.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function a(x){return!(x!==bi&&n.convert(x)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function o(x){let E=x===Mi&&(t.has("EXT_color_buffer_half_float")||t.has("EXT_color_buffer_float"));return!(x!==Xn&&x!==ui&&!E&&n.convert(x)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE))}function l(x){if(x==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";x="mediump"}return x==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=e.precision!==void 0?e.precision:"highp",u=l(c);u!==c&&(qt("WebGLRenderer:",c,"not supported, using",u,"instead."),c=u);let d=e.reversedDepthBuffer===!0&&t.has("EXT_clip_control"),h=e.logarithmicDepthBuffer===!0&&d===!1;e.reversedDepthBuffer===!0&&d===!1&&qt("WebGLRenderer: Unable to use reversed depth buffer due to missing EXT_clip_control extension. Fallback to default depth buffer."),e.logarithmicDepthBuffer===!0&&d===!0&&qt("WebGLRenderer: Logarithmic depth buffer is ignored when reversed depth buffer is enabled.");let f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),p=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),g=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),m=i.getParameter(i.MAX_VERTEX_ATTRIBS),v=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),A=i.getParameter(i.MAX_VARYING_VECTORS),M=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),R=i.getParameter(i.MAX_SAMPLES),T=i.getParameter(i.SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:a,textureTypeReadable:o,precision:c,logarithmicDepthBuffer:h,reversedDepthBuffer:d,maxTextures:f,maxVertexTextures:p,maxTextureSize:_,maxCubemapSize:g,maxAttributes:m,maxVertexUniforms:v,maxVaryings:A,maxFragmentUniforms:M,maxSamples:R,samples:T}}function Ly(i){let t=this,e=null,n=0,s=!1,r=!1,a=new ti,o=new ee,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(d,h){let f=d.length!==0||h||n!==0||s;return s=h,n=d.length,f},this.beginShadows=function(){r=!0,u(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(d,h){e=u(d,h,0)},this.setState=function(d,h,f){let p=d.clippingPlanes,_=d.clipIntersection,g=d.clipShadows,m=i.get(d);if(!s||p===null||p.length===0||r&&!g)r?u(null):c();else{let v=r?0:n,A=v*4,M=m.clippingState||null;l.value=M,M=u(p,h,A,f);for(let R=0;R!==A;++R)M[R]=e[R];m.clippingState=M,this.numIntersection=_?this.numPlanes:0,this.numPlanes+=v}};function c(){l.value!==e&&(l.value=e,l.needsUpdate=n>0),t.numPlanes=n,t.numIntersection=0}function u(d,h,f,p){let _=d!==null?d.length:0,g=null;if(_!==0){if(g=l.value,p!==!0||g===null){let m=f+_*4,v=h.matrixWorldInverse;o.getNormalMatrix(v),(g===null||g.length<m)&&(g=new Float32Array(m));for(let A=0,M=f;A!==_;++A,M+=4)a.copy(d[A]).applyMatrix4(v,o),a.normal.toArray(g,M),g[M+3]=a.constant}l.value=g,l.needsUpdate=!0}return t.numPlanes=_,t.numIntersection=0,g}}var go=class extends ei{constructor(t=1,e={}){super(t,t,e),this.isWebGLCubeRenderTarget=!0;let n={width:t,height:t,depth:1},s=[n,n,n,n,n,n];this.texture=new qa(s),this._setTextureOptions(e),this.texture.isRenderTargetTexture=!0}fromEquirectangularTexture(t,e){this.texture.type=e.type,this.texture.colorSpace=e.colorSpace,this.texture.generateMipmaps=e.generateMipmaps,this.texture.minFilter=e.minFilter,this.texture.magFilter=e.magFilter;let n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new Rs(5,5,5),r=new Vi({name:"CubemapFromEquirect",uniforms:er(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Hn,blending:Ks});r.uniforms.tEquirect.value=e;let a=new Cn(s,r),o=e.minFilter;return e.minFilter===os&&(e.minFilter=kn),new Yr(1,10,this).update(t,a),e.minFilter=o,a.geometry.dispose(),a.material.dispose(),this}clear(t,e=!0,n=!0,s=!0){let r=t.getRenderTarget();for(let a=0;a<6;a++)t.setRenderTarget(this,a),t.clear(e,n,s);t.setRenderTarget(r)}},ap=256,Dy=3,Ny=20,Cp=256,Pp=16,Uy=3,Fy=new W,Oy=new te,Ac=class i{constructor(t){this._renderer=t,this._cubeSize=0,this._sourceTarget=null,this._cubeCamera=new Yr(1,10,null),this._boxMesh=new Cn(new Rs(5,5,5),null),this._cubemapMaterial=null,this._equirectMaterial=null,this._blurMaterial=null,this._ggxMaterial=null,this._integrationMaterial=null}fromScene(t,e=0,n=.1,s=100,r={}){let{size:a=256,position:o=Fy}=r,l=this._renderer;this._setSize(a);let c=this._allocateTarget(),u=this._getSourceTarget(!0);e>0&&(u.texture.mipmapsAutoUpdate=!1);let d=l.autoClear,h=l.autoClearColor,f=l.autoClearDepth,p=l.autoClearStencil,_=t.background;l.autoClear=!0,l.autoClearColor=!0,l.autoClearDepth=!0,l.autoClearStencil=!0,_===null&&(t.background=l.getClearColor(Oy));let g=new Yr(n,s,u);return g.position.copy(o),g.update(l,t),l.autoClear=d,l.autoClearColor=h,l.autoClearDepth=f,l.autoClearStencil=p,t.background=_,e>0&&(u.texture.mipmapsAutoUpdate=!0,this._blur(c,e)),this._applyPMREM(c),c}fromEquirectangular(t,e=null){return this._fromTexture(t,e)}fromCubemap(t,e=null){return this._fromTexture(t,e)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=cp(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=lp(),this._compileMaterial(this._equirectMaterial))}dispose(){this._sourceTarget!==null&&this._sourceTarget.dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose(),this._blurMaterial!==null&&this._blurMaterial.dispose(),this._ggxMaterial!==null&&this._ggxMaterial.dispose(),this._integrationMaterial!==null&&this._integrationMaterial.dispose(),this._boxMesh.geometry.dispose()}static lodToRoughness(t,e){return e>0?1-Math.sqrt(1-t/e):0}_setSize(t){this._cubeSize=Math.max(ap,fu(t))}_fromTexture(t,e){t.mapping===Qs||t.mapping===Kr?this._setSize(t.image.length===0?ap:t.image[0].width||t.image[0].image.width):this._setSize(t.image.width/4);let n=e||this._allocateTarget();return this._textureToCubemap(t),this._applyPMREM(n),n}_allocateTarget(){let t=this._cubeSize,e=op(t,!1,!1),n=Math.log2(t)-Dy;for(let s=0;s<=n;s++)e.texture.mipmaps.push({width:t>>s,height:t>>s});return e.texture.name="PMREM",e.texture.isPMREMTexture=!0,e}_getSourceTarget(t=!1){let e=this._cubeSize,n=this._sourceTarget;return(n===null||n.width!==e||t&&n.depthBuffer===!1)&&(n!==null&&n.dispose(),this._sourceTarget=op(e,!0,t)),this._sourceTarget}_compileMaterial(t){this._boxMesh.material=t,this._renderer.compile(this._boxMesh,this._cubeCamera.children[0])}_renderCube(t,e,n){let s=this._boxMesh,r=this._cubeCamera;s.material=n,r.renderTarget=t,r.activeMipmapLevel=e;let a=t.width>>e;t.viewport.set(0,0,a,a),r.update(this._renderer,s),t.viewport.set(0,0,t.width,t.height)}_textureToCubemap(t){let e;t.mapping===Qs||t.mapping===Kr?(this._cubemapMaterial===null&&(this._cubemapMaterial=cp()),e=this._cubemapMaterial,e.uniforms.flipEnvMap.value=t.isRenderTargetTexture===!1?-1:1):(this._equirectMaterial===null&&(this._equirectMaterial=lp()),e=this._equirectMaterial),e.uniforms.envMap.value=t,this._renderCube(this._getSourceTarget(),0,e)}_applyPMREM(t){this._ggxMaterial===null&&(this._ggxMaterial=By(),this._integrationMaterial=zy());let e=this._cubeSize,n=t.texture.mipmaps.length-1,s=this._ggxMaterial.uniforms;s.envMap.value=this._sourceTarget.texture;let r=this._integrationMaterial.uniforms;r.envMap.value=this._sourceTarget.texture,r.sourceLod.value=Math.log2(e/Pp);for(let a=0;a<=n;a++){let o=i.lodToRoughness(a,n);if(a>n-Uy)r.roughness.value=o,this._renderCube(t,a,this._integrationMaterial);else{let l=o>0?Math.log2(e)+.5*Math.log2(6/(Cp*Math.pow(o,4)))+.5:0;s.roughness.value=o,s.lodBias.value=l,this._renderCube(t,a,this._ggxMaterial)}}}_blur(t,e){this._blurMaterial===null&&(this._blurMaterial=ky());let n=this._blurMaterial,s=n.uniforms,r=this._sourceTarget;s.sigma.value=Math.min(e,Math.PI)/Math.SQRT2,s.envMap.value=r.texture,this._renderCube(t,0,n),s.envMap.value=t.texture,this._renderCube(r,0,n)}};function op(i,t,e){return new go(i,{minFilter:os,generateMipmaps:t,type:Mi,colorSpace:Na,depthBuffer:e})}function _o(i,t,e){return new Vi({name:i,uniforms:t,vertexShader:ce.cube_vert,fragmentShader:e,side:Hn,blending:Ks,depthTest:!1,depthWrite:!1})}function By(){return _o("PMREMGGXConvolution",{envMap:{value:null},roughness:{value:0},lodBias:{value:0}},`

		#define GGX_SAMPLES ${Cp}u

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float lodBias;

		#include <common>

		// Van der Corput radical inverse
		float radicalInverse_VdC( uint bits ) {

			bits = ( bits << 16u ) | ( bits >> 16u );
			bits = ( ( bits & 0x55555555u ) << 1u ) | ( ( bits & 0xAAAAAAAAu ) >> 1u );
			bits = ( ( bits & 0x33333333u ) << 2u ) | ( ( bits & 0xCCCCCCCCu ) >> 2u );
			bits = ( ( bits & 0x0F0F0F0Fu ) << 4u ) | ( ( bits & 0xF0F0F0F0u ) >> 4u );
			bits = ( ( bits & 0x00FF00FFu ) << 8u ) | ( ( bits & 0xFF00FF00u ) >> 8u );
			return float( bits ) * 2.3283064365386963e-10; // / 0x100000000

		}

		// Hammersley sequence
		vec2 hammersley( uint i, uint N ) {

			return vec2( float( i ) / float( N ), radicalInverse_VdC( i ) );

		}

		void main() {

			vec3 N = normalize( vWorldDirection );

			// For very low roughness, just sample the environment directly
			if ( roughness < 0.001 ) {

				gl_FragColor = vec4( textureLod( envMap, N, 0.0 ).rgb, 1.0 );
				return;

			}

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			// Tangent space basis for VNDF sampling
			vec3 up = abs( N.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, N ) );
			vec3 bitangent = cross( N, tangent );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			for ( uint i = 0u; i < GGX_SAMPLES; i ++ ) {

				vec2 Xi = hammersley( i, GGX_SAMPLES );

				// With V = N, sample the reflected direction directly.
				float invQ = 1.0 / ( 1.0 - Xi.x + alpha2 * Xi.x );
				float NdotL = ( 1.0 - Xi.x - alpha2 * Xi.x ) * invQ;

				if ( NdotL > 0.0 ) {

					float phi = 2.0 * PI * Xi.y;
					float sinTheta = 2.0 * alpha * sqrt( Xi.x * ( 1.0 - Xi.x ) ) * invQ;
					vec3 L = N * NdotL + ( tangent * cos( phi ) + bitangent * sin( phi ) ) * sinTheta;

					// Match the source mip to the sample's solid angle. The terms
					// independent of the sample are precomputed in lodBias.
					float d = alpha2 * invQ;
					float lod = max( log2( d ) + lodBias, 0.0 );

					// Weight by NdotL for the split-sum approximation
					prefilteredColor += textureLod( envMap, L, lod ).rgb * NdotL;
					totalWeight += NdotL;

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function zy(){return _o("PMREMGGXIntegration",{envMap:{value:null},roughness:{value:0},sourceLod:{value:0},sourceSize:{value:Pp}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float sourceLod;
		uniform int sourceSize;

		void main() {

			vec3 N = normalize( vWorldDirection );

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			float texelSize = 2.0 / float( sourceSize );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			// Pair opposite texels: only the one in N's hemisphere contributes.
			for ( int face = 0; face < 3; face ++ ) {

				for ( int y = 0; y < sourceSize; y ++ ) {

					for ( int x = 0; x < sourceSize; x ++ ) {

						vec2 uv = ( vec2( x, y ) + 0.5 ) * texelSize - 1.0;
						vec3 texelDirection = face == 0 ? vec3( 1.0, uv ) : ( face == 1 ? vec3( uv.x, 1.0, uv.y ) : vec3( uv, 1.0 ) );

						float invDistance = inversesqrt( 1.0 + dot( uv, uv ) );
						float NdotL = dot( N, texelDirection );
						texelDirection *= NdotL < 0.0 ? - 1.0 : 1.0;
						NdotL = abs( NdotL ) * invDistance;

						// With V = N, NdotH squared is ( 1 + NdotL ) / 2. Common factors
						// in the GGX distribution and texel solid angle cancel when normalized.
						float d = 1.0 + alpha2 + ( alpha2 - 1.0 ) * NdotL;
						float weight = NdotL * invDistance * invDistance * invDistance / ( d * d );

						prefilteredColor += textureLod( envMap, texelDirection, sourceLod ).rgb * weight;
						totalWeight += weight;

					}

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function ky(){return _o("PMREMSphericalGaussianBlur",{envMap:{value:null},sigma:{value:0}},`

		#define SAMPLES ${Ny}
		#define GOLDEN_ANGLE 2.39996322973

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float sigma;

		#include <common>

		void main() {

			vec3 outputDirection = normalize( vWorldDirection );

			vec3 up = abs( outputDirection.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, outputDirection ) );
			vec3 bitangent = cross( outputDirection, tangent );

			// Truncate the kernel at three standard deviations or at the antipode.
			float thetaMax = min( 3.0 * sigma, PI );
			float truncation = 1.0 - exp( - 0.5 * thetaMax * thetaMax / ( sigma * sigma ) );

			vec3 accumColor = vec3( 0.0 );
			float accumWeight = 0.0;

			for ( int i = 0; i < SAMPLES; i ++ ) {

				// Stratified inverse-CDF sampling of the Gaussian, placed on a golden-angle spiral.
				float stratum = ( float( i ) + 0.5 ) / float( SAMPLES );
				float theta = sigma * sqrt( - 2.0 * log( 1.0 - stratum * truncation ) );
				float phi = float( i ) * GOLDEN_ANGLE;

				vec3 offset = cos( phi ) * tangent + sin( phi ) * bitangent;
				vec3 sampleDirection = cos( theta ) * outputDirection + sin( theta ) * offset;

				// Correct the planar sample density to solid angle.
				float weight = sin( theta ) / theta;

				accumColor += weight * textureLod( envMap, sampleDirection, 0.0 ).rgb;
				accumWeight += weight;

			}

			gl_FragColor = vec4( accumColor / accumWeight, 1.0 );

		}
	`)}function lp(){return _o("PMREMEquirectangularToCubemap",{envMap:{value:null}},`

		varying vec3 vWorldDirection;

		uniform sampler2D envMap;

		#include <common>

		void main() {

			// Average four subpixel samples to preserve small, bright features.
			vec3 direction = normalize( vWorldDirection );
			vec3 dx = dFdx( direction ) * 0.25;
			vec3 dy = dFdy( direction ) * 0.25;

			vec3 color = textureLod( envMap, equirectUv( normalize( direction - dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction - dx + dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx + dy ) ), 0.0 ).rgb;
			gl_FragColor = vec4( color * 0.25, 1.0 );

		}
	`)}function cp(){return _o("PMREMCubemapToCubemap",{envMap:{value:null},flipEnvMap:{value:-1}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float flipEnvMap;

		void main() {

			gl_FragColor = vec4( textureCube( envMap, vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) ).rgb, 1.0 );

		}
	`)}function Vy(i){let t=new WeakMap,e=new WeakMap,n=null;function s(h,f=!1){return h==null?null:f?a(h):r(h)}function r(h){if(h&&h.isTexture){let f=h.mapping;if(f===Bl||f===zl)if(t.has(h)){let p=t.get(h).texture;return o(p,h.mapping)}else{let p=h.image;if(p&&p.height>0){let _=new go(p.height);return _.fromEquirectangularTexture(i,h),t.set(h,_),h.addEventListener("dispose",c),o(_.texture,h.mapping)}else return null}}return h}function a(h){if(h&&h.isTexture&&h.isPMREMTexture!==!0){let f=h.mapping,p=f===Bl||f===zl,_=f===Qs||f===Kr;if(p||_){let g=e.get(h),m=g!==void 0?g.texture.pmremVersion:0;if(h.isRenderTargetTexture&&h.pmremVersion!==m)return n===null&&(n=new Ac(i)),g=p?n.fromEquirectangular(h,g):n.fromCubemap(h,g),g.texture.pmremVersion=h.pmremVersion,e.set(h,g),g.texture;if(g!==void 0)return g.texture;{let v=h.image;return p&&v&&v.height>0||_&&v&&l(v)?(n===null&&(n=new Ac(i)),g=p?n.fromEquirectangular(h):n.fromCubemap(h),g.texture.pmremVersion=h.pmremVersion,e.set(h,g),h.addEventListener("dispose",u),g.texture):null}}}return h}function o(h,f){return f===Bl?h.mapping=Qs:f===zl&&(h.mapping=Kr),h}function l(h){let f=0,p=6;for(let _=0;_<p;_++)h[_]!==void 0&&f++;return f===p}function c(h){let f=h.target;f.removeEventListener("dispose",c);let p=t.get(f);p!==void 0&&(t.delete(f),p.dispose())}function u(h){let f=h.target;f.removeEventListener("dispose",u);let p=e.get(f);p!==void 0&&(e.delete(f),p.dispose())}function d(){t=new WeakMap,e=new WeakMap,n!==null&&(n.dispose(),n=null)}return{get:s,dispose:d}}function Gy(i){let t={};function e(n){if(t[n]!==void 0)return t[n];let s=i.getExtension(n);return t[n]=s,s}return{has:function(n){return e(n)!==null},init:function(){e("EXT_color_buffer_float"),e("WEBGL_clip_cull_distance"),e("OES_texture_float_linear"),e("EXT_color_buffer_half_float"),e("WEBGL_multisampled_render_to_texture"),e("WEBGL_render_shared_exponent")},get:function(n){let s=e(n);return s===null&&Pa("WebGLRenderer: "+n+" extension not supported."),s}}}function Hy(i,t,e,n){let s={},r=new WeakMap,a=new FinalizationRegistry(p=>delete s[p]);function o(p){l(p.target)}function l(p){p.index!==null&&t.remove(p.index);for(let g in p.attributes)t.remove(p.attributes[g]);p.removeEventListener("dispose",o),delete s[p.id],a.unregister(p);let _=r.get(p);_&&(t.remove(_),r.delete(p)),n.releaseStatesOfGeometry(p),p.isInstancedBufferGeometry===!0&&delete p._maxInstanceCount,e.memory.geometries--}function c(p,_){return s[_.id]!==void 0||(_.addEventListener("dispose",o),s[_.id]=new WeakRef(_),a.register(_,_.id,_),e.memory.geometries++),_}function u(p){let _=p.attributes;for(let g in _)t.update(_[g],i.ARRAY_BUFFER)}function d(p){let _=p.index,g=p.attributes.position,m=0;if(g===void 0)return;let v=_!==null?_.array.length:g.array.length/3-1,A=g.count>=65535?Va:ka,M=new A(Math.ceil(v/3)*6,1),R=M.array;if(_!==null){let x=_.array;m=_.version;for(let E=0,O=0;E<v;E+=3){let N=x[E+0],D=x[E+1],z=x[E+2];R[O++]=N,R[O++]=D,R[O++]=D,R[O++]=z,R[O++]=z,R[O++]=N}}else{m=g.version;for(let x=0,E=0;x<v;x+=3){let O=x+0,N=x+1,D=x+2;R[E++]=O,R[E++]=N,R[E++]=N,R[E++]=D,R[E++]=D,R[E++]=O}}M.version=m;let T=r.get(p);T&&t.remove(T),r.set(p,M)}function h(p){let _=r.get(p);if(_){let g=p.index;g!==null&&_.version<g.version&&d(p)}else d(p);return r.get(p)}function f(){for(let p in s){let _=s[p].deref();_!==void 0&&l(_)}}return{get:c,update:u,getWireframeAttribute:h,dispose:f}}function Wy(i,t,e){let n;function s(d){n=d}let r,a;function o(d){r=d.type,a=d.bytesPerElement}function l(d,h){i.drawElements(n,h,r,d*a),e.update(h,n,1)}function c(d,h,f){f!==0&&(i.drawElementsInstanced(n,h,r,d*a,f),e.update(h,n,f))}function u(d,h,f){if(f===0)return;t.get("WEBGL_multi_draw").multiDrawElementsWEBGL(n,h,0,r,d,0,f);let _=0;for(let g=0;g<f;g++)_+=h[g];e.update(_,n,1)}this.setMode=s,this.setIndex=o,this.render=l,this.renderInstances=c,this.renderMultiDraw=u}function Xy(i){let t={geometries:0,textures:0},e={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,a,o){switch(e.calls++,a){case i.TRIANGLES:e.triangles+=o*(r/3);break;case i.LINES:e.lines+=o*(r/2);break;case i.LINE_STRIP:e.lines+=o*(r-1);break;case i.LINE_LOOP:e.lines+=o*r;break;case i.POINTS:e.points+=o*r;break;default:Qt("WebGLInfo: Unknown draw mode:",a);break}}function s(){e.calls=0,e.triangles=0,e.points=0,e.lines=0}return{memory:t,render:e,programs:null,autoReset:!0,reset:s,update:n}}function qy(i,t,e){let n=new WeakMap,s=new We;function r(a,o,l){let c=a.morphTargetInfluences,u=o.morphAttributes.position||o.morphAttributes.normal||o.morphAttributes.color,d=u!==void 0?u.length:0,h=n.get(o);if(h===void 0||h.count!==d){let O=function(){x.dispose(),n.delete(o),o.removeEventListener("dispose",O)};h!==void 0&&h.texture.dispose();let f=o.morphAttributes.position!==void 0,p=o.morphAttributes.normal!==void 0,_=o.morphAttributes.color!==void 0,g=o.morphAttributes.position||[],m=o.morphAttributes.normal||[],v=o.morphAttributes.color||[],A=0;f===!0&&(A=1),p===!0&&(A=2),_===!0&&(A=3);let M=o.attributes.position.count*A,R=1;M>t.maxTextureSize&&(R=Math.ceil(M/t.maxTextureSize),M=t.maxTextureSize);let T=new Float32Array(M*R*4*d),x=new Oa(T,M,R,d);x.type=ui,x.needsUpdate=!0;let E=A*4;for(let N=0;N<d;N++){let D=g[N],z=m[N],G=v[N],L=M*R*4*N;for(let H=0;H<D.count;H++){let Y=H*E;f===!0&&(s.fromBufferAttribute(D,H),T[L+Y+0]=s.x,T[L+Y+1]=s.y,T[L+Y+2]=s.z,T[L+Y+3]=0),p===!0&&(s.fromBufferAttribute(z,H),T[L+Y+4]=s.x,T[L+Y+5]=s.y,T[L+Y+6]=s.z,T[L+Y+7]=0),_===!0&&(s.fromBufferAttribute(G,H),T[L+Y+8]=s.x,T[L+Y+9]=s.y,T[L+Y+10]=s.z,T[L+Y+11]=G.itemSize===4?s.w:1)}}h={count:d,texture:x,size:new Kt(M,R)},n.set(o,h),o.addEventListener("dispose",O)}if(a.isInstancedMesh===!0&&a.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",a.morphTexture,e);else{let f=0;for(let _=0;_<c.length;_++)f+=c[_];let p=o.morphTargetsRelative?1:1-f;l.getUniforms().setValue(i,"morphTargetBaseInfluence",p),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",h.texture,e),l.getUniforms().setValue(i,"morphTargetsTextureSize",h.size)}return{update:r}}function Yy(i,t,e,n,s){let r=new WeakMap;function a(c){let u=s.render.frame,d=c.geometry,h=t.get(c,d);if(r.get(h)!==u&&(t.update(h),r.set(h,u)),c.isInstancedMesh&&(c.hasEventListener("dispose",l)===!1&&c.addEventListener("dispose",l),r.get(c)!==u&&(e.update(c.instanceMatrix,i.ARRAY_BUFFER),c.instanceColor!==null&&e.update(c.instanceColor,i.ARRAY_BUFFER),r.set(c,u))),c.isSkinnedMesh){let f=c.skeleton;r.get(f)!==u&&(f.update(),r.set(f,u))}return h}function o(){r=new WeakMap}function l(c){let u=c.target;u.removeEventListener("dispose",l),n.releaseStatesOfObject(u),e.remove(u.instanceMatrix),u.instanceColor!==null&&e.remove(u.instanceColor)}return{update:a,dispose:o}}var Zy={[qh]:"LINEAR_TONE_MAPPING",[Yh]:"REINHARD_TONE_MAPPING",[Zh]:"CINEON_TONE_MAPPING",[$h]:"ACES_FILMIC_TONE_MAPPING",[Kh]:"AGX_TONE_MAPPING",[jh]:"NEUTRAL_TONE_MAPPING",[Jh]:"CUSTOM_TONE_MAPPING"};function $y(i,t,e,n,s,r){let a=new ei(t,e,{type:i,depthBuffer:s,stencilBuffer:r,samples:n?4:0,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,resolveDepthBuffer:!1,resolveStencilBuffer:!1}),o=null,l=null,c=null,u=new dn;u.setAttribute("position",new qe([-1,3,0,-1,-1,0,3,-1,0],3)),u.setAttribute("uv",new qe([0,2,0,0,2,0],2));let d=new Ml({uniforms:{tDiffuse:{value:null}},vertexShader:`
			precision highp float;

			uniform mat4 modelViewMatrix;
			uniform mat4 projectionMatrix;

			attribute vec3 position;
			attribute vec2 uv;

			varying vec2 vUv;

			void main() {
				vUv = uv;
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
			}`,fragmentShader:`
			precision highp float;

			uniform sampler2D tDiffuse;

			varying vec2 vUv;

			#include <tonemapping_pars_fragment>
			#include <colorspace_pars_fragment>

			void main() {
				gl_FragColor = texture2D( tDiffuse, vUv );

				#ifdef LINEAR_TONE_MAPPING
					gl_FragColor.rgb = LinearToneMapping( gl_FragColor.rgb );
				#elif defined( REINHARD_TONE_MAPPING )
					gl_FragColor.rgb = ReinhardToneMapping( gl_FragColor.rgb );
				#elif defined( CINEON_TONE_MAPPING )
					gl_FragColor.rgb = CineonToneMapping( gl_FragColor.rgb );
				#elif defined( ACES_FILMIC_TONE_MAPPING )
					gl_FragColor.rgb = ACESFilmicToneMapping( gl_FragColor.rgb );
				#elif defined( AGX_TONE_MAPPING )
					gl_FragColor.rgb = AgXToneMapping( gl_FragColor.rgb );
				#elif defined( NEUTRAL_TONE_MAPPING )
					gl_FragColor.rgb = NeutralToneMapping( gl_FragColor.rgb );
				#elif defined( CUSTOM_TONE_MAPPING )
					gl_FragColor.rgb = CustomToneMapping( gl_FragColor.rgb );
				#endif

				#ifdef SRGB_TRANSFER
					gl_FragColor = sRGBTransferOETF( gl_FragColor );
				#endif
			}`,depthTest:!1,depthWrite:!1}),h=new Cn(u,d),f=new eo(-1,1,1,-1,0,1),p=null,_=null,g=!1,m,v=null,A=[],M=!1;this.setSize=function(R,T){a.setSize(R,T),o!==null&&o.setSize(R,T),l!==null&&l.setSize(R,T);for(let x=0;x<A.length;x++){let E=A[x];E.setSize&&E.setSize(R,T)}},this.setEffects=function(R){A=R,M=A.length>0&&A[0].isRenderPass===!0;let T=a.width,x=a.height;A.length>0&&o===null&&(o=new ei(T,x,{type:Mi,depthBuffer:!1,stencilBuffer:!1}),l=new ei(T,x,{type:Mi,depthBuffer:!1,stencilBuffer:!1}));let E=s===!0&&A.some(O=>O.needsDepthTexture===!0);E!==(a.depthTexture!==null)&&(E===!0&&c===null&&(c=new as(T,x),r===!0&&(c.format=ls,c.type=tr)),a.dispose(),a.depthTexture=E?c:null,a.resolveDepthBuffer=E,a.storeMultisampledDepthBuffer=E);for(let O=0;O<A.length;O++){let N=A[O];N.setSize&&N.setSize(T,x),E&&N.needsDepthTexture===!0&&N.setDepthTexture&&N.setDepthTexture(c)}},this.begin=function(R,T){if(g||R.toneMapping===Gi&&A.length===0)return!1;if(v=T,T!==null){let x=T.width,E=T.height;(a.width!==x||a.height!==E)&&this.setSize(x,E)}return M===!1&&R.setRenderTarget(a),m=R.toneMapping,R.toneMapping=Gi,!0},this.hasRenderPass=function(){return M},this.end=function(R,T){R.toneMapping=m,g=!0;let x=a,E=o;for(let O=0;O<A.length;O++){let N=A[O];N.enabled!==!1&&(N.render(R,E,x,T),N.needsSwap!==!1&&(x=E,E=E===o?l:o))}if(p!==R.outputColorSpace||_!==R.toneMapping){p=R.outputColorSpace,_=R.toneMapping,d.defines={},ge.getTransfer(p)===Ee&&(d.defines.SRGB_TRANSFER="");let O=Zy[_];O&&(d.defines[O]=""),d.needsUpdate=!0}d.uniforms.tDiffuse.value=x.texture,R.setRenderTarget(v),R.render(h,f),v=null,g=!1},this.isCompositing=function(){return g},this.dispose=function(){a.dispose(),o!==null&&o.dispose(),l!==null&&l.dispose(),u.dispose(),d.dispose()}}var Ip=new Gn,Lp=new as(1,1),Dp=new Za(1),Np=new Oa,Up=new xl,Fp=new qa,hp=[],up=[],dp=new Float32Array(16),fp=new Float32Array(9),pp=new Float32Array(4);function ea(i,t,e){let n=i[0];if(n<=0||n>0)return i;let s=t*e,r=hp[s];if(r===void 0&&(r=new Float32Array(s),hp[s]=r),t!==0){n.toArray(r,0);for(let a=1,o=0;a!==t;++a)o+=e,i[a].toArray(r,o)}return r}function fn(i,t){if(i.length!==t.length)return!1;for(let e=0,n=i.length;e<n;e++)if(i[e]!==t[e])return!1;return!0}function pn(i,t){for(let e=0,n=t.length;e<n;e++)i[e]=t[e]}function Cc(i,t){let e=up[t];e===void 0&&(e=new Int32Array(t),up[t]=e);for(let n=0;n!==t;++n)e[n]=i.allocateTextureUnit();return e}function Jy(i,t){let e=this.cache;e[0]!==t&&(i.uniform1f(this.addr,t),e[0]=t)}function Ky(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2f(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(fn(e,t))return;i.uniform2fv(this.addr,t),pn(e,t)}}function jy(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3f(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else if(t.r!==void 0)(e[0]!==t.r||e[1]!==t.g||e[2]!==t.b)&&(i.uniform3f(this.addr,t.r,t.g,t.b),e[0]=t.r,e[1]=t.g,e[2]=t.b);else{if(fn(e,t))return;i.uniform3fv(this.addr,t),pn(e,t)}}function Qy(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4f(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(fn(e,t))return;i.uniform4fv(this.addr,t),pn(e,t)}}function tv(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(fn(e,t))return;i.uniformMatrix2fv(this.addr,!1,t),pn(e,t)}else{if(fn(e,n))return;pp.set(n),i.uniformMatrix2fv(this.addr,!1,pp),pn(e,n)}}function ev(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(fn(e,t))return;i.uniformMatrix3fv(this.addr,!1,t),pn(e,t)}else{if(fn(e,n))return;fp.set(n),i.uniformMatrix3fv(this.addr,!1,fp),pn(e,n)}}function nv(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(fn(e,t))return;i.uniformMatrix4fv(this.addr,!1,t),pn(e,t)}else{if(fn(e,n))return;dp.set(n),i.uniformMatrix4fv(this.addr,!1,dp),pn(e,n)}}function iv(i,t){let e=this.cache;e[0]!==t&&(i.uniform1i(this.addr,t),e[0]=t)}function sv(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2i(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(fn(e,t))return;i.uniform2iv(this.addr,t),pn(e,t)}}function rv(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3i(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else{if(fn(e,t))return;i.uniform3iv(this.addr,t),pn(e,t)}}function av(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4i(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(fn(e,t))return;i.uniform4iv(this.addr,t),pn(e,t)}}function ov(i,t){let e=this.cache;e[0]!==t&&(i.uniform1ui(this.addr,t),e[0]=t)}function lv(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2ui(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(fn(e,t))return;i.uniform2uiv(this.addr,t),pn(e,t)}}function cv(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3ui(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else{if(fn(e,t))return;i.uniform3uiv(this.addr,t),pn(e,t)}}function hv(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4ui(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(fn(e,t))return;i.uniform4uiv(this.addr,t),pn(e,t)}}function Pc(i){return i.version===0&&(i.compareFunction=lu,i.needsUpdate=!0),i}function uv(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_2D_SHADOW?r=Pc(Lp):r=Ip,e.setTexture2D(t||r,s)}function dv(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),e.setTexture3D(t||Up,s)}function fv(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_CUBE_SHADOW?r=Pc(Dp):r=Fp,e.setTextureCube(t||r,s)}function pv(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),e.setTexture2DArray(t||Np,s)}function mv(i){switch(i){case 5126:return Jy;case 35664:return Ky;case 35665:return jy;case 35666:return Qy;case 35674:return tv;case 35675:return ev;case 35676:return nv;case 5124:case 35670:return iv;case 35667:case 35671:return sv;case 35668:case 35672:return rv;case 35669:case 35673:return av;case 5125:return ov;case 36294:return lv;case 36295:return cv;case 36296:return hv;case 35678:case 36198:case 36298:case 36306:case 35682:return uv;case 35679:case 36299:case 36307:return dv;case 35680:case 36300:case 36308:case 36293:return fv;case 36289:case 36303:case 36311:case 36292:return pv}}function gv(i,t){i.uniform1fv(this.addr,t)}function _v(i,t){let e=ea(t,this.size,2);i.uniform2fv(this.addr,e)}function xv(i,t){let e=ea(t,this.size,3);i.uniform3fv(this.addr,e)}function yv(i,t){let e=ea(t,this.size,4);i.uniform4fv(this.addr,e)}function vv(i,t){let e=ea(t,this.size,4);i.uniformMatrix2fv(this.addr,!1,e)}function Sv(i,t){let e=ea(t,this.size,9);i.uniformMatrix3fv(this.addr,!1,e)}function Mv(i,t){let e=ea(t,this.size,16);i.uniformMatrix4fv(this.addr,!1,e)}function bv(i,t){i.uniform1iv(this.addr,t)}function wv(i,t){i.uniform2iv(this.addr,t)}function Ev(i,t){i.uniform3iv(this.addr,t)}function Tv(i,t){i.uniform4iv(this.addr,t)}function Av(i,t){i.uniform1uiv(this.addr,t)}function Rv(i,t){i.uniform2uiv(this.addr,t)}function Cv(i,t){i.uniform3uiv(this.addr,t)}function Pv(i,t){i.uniform4uiv(this.addr,t)}function Iv(i,t,e){let n=this.cache,s=t.length,r=Cc(e,s);fn(n,r)||(i.uniform1iv(this.addr,r),pn(n,r));let a;this.type===i.SAMPLER_2D_SHADOW?a=Pc(Lp):a=Ip;for(let o=0;o!==s;++o)e.setTexture2D(t[o]||a,r[o])}function Lv(i,t,e){let n=this.cache,s=t.length,r=Cc(e,s);fn(n,r)||(i.uniform1iv(this.addr,r),pn(n,r));for(let a=0;a!==s;++a)e.setTexture3D(t[a]||Up,r[a])}function Dv(i,t,e){let n=this.cache,s=t.length,r=Cc(e,s);fn(n,r)||(i.uniform1iv(this.addr,r),pn(n,r));let a;this.type===i.SAMPLER_CUBE_SHADOW?a=Pc(Dp):a=Fp;for(let o=0;o!==s;++o)e.setTextureCube(t[o]||a,r[o])}function Nv(i,t,e){let n=this.cache,s=t.length,r=Cc(e,s);fn(n,r)||(i.uniform1iv(this.addr,r),pn(n,r));for(let a=0;a!==s;++a)e.setTexture2DArray(t[a]||Np,r[a])}function Uv(i){switch(i){case 5126:return gv;case 35664:return _v;case 35665:return xv;case 35666:return yv;case 35674:return vv;case 35675:return Sv;case 35676:return Mv;case 5124:case 35670:return bv;case 35667:case 35671:return wv;case 35668:case 35672:return Ev;case 35669:case 35673:return Tv;case 5125:return Av;case 36294:return Rv;case 36295:return Cv;case 36296:return Pv;case 35678:case 36198:case 36298:case 36306:case 35682:return Iv;case 35679:case 36299:case 36307:return Lv;case 35680:case 36300:case 36308:case 36293:return Dv;case 36289:case 36303:case 36311:case 36292:return Nv}}var Mu=class{constructor(t,e,n){this.id=t,this.addr=n,this.cache=[],this.type=e.type,this.setValue=mv(e.type)}},bu=class{constructor(t,e,n){this.id=t,this.addr=n,this.cache=[],this.type=e.type,this.size=e.size,this.setValue=Uv(e.type)}},wu=class{constructor(t){this.id=t,this.seq=[],this.map={}}setValue(t,e,n){let s=this.seq;for(let r=0,a=s.length;r!==a;++r){let o=s[r];o.setValue(t,e[o.id],n)}}},vu=/(\w+)(\])?(\[|\.)?/g;function mp(i,t){i.seq.push(t),i.map[t.id]=t}function Fv(i,t,e){let n=i.name,s=n.length;for(vu.lastIndex=0;;){let r=vu.exec(n),a=vu.lastIndex,o=r[1],l=r[2]==="]",c=r[3];if(l&&(o=o|0),c===void 0||c==="["&&a+2===s){mp(e,c===void 0?new Mu(o,i,t):new bu(o,i,t));break}else{let d=e.map[o];d===void 0&&(d=new wu(o),mp(e,d)),e=d}}}var ta=class{constructor(t,e){this.seq=[],this.map={};let n=t.getProgramParameter(e,t.ACTIVE_UNIFORMS);for(let a=0;a<n;++a){let o=t.getActiveUniform(e,a),l=t.getUniformLocation(e,o.name);Fv(o,l,this)}let s=[],r=[];for(let a of this.seq)a.type===t.SAMPLER_2D_SHADOW||a.type===t.SAMPLER_CUBE_SHADOW||a.type===t.SAMPLER_2D_ARRAY_SHADOW?s.push(a):r.push(a);s.length>0&&(this.seq=s.concat(r))}setValue(t,e,n,s){let r=this.map[e];r!==void 0&&r.setValue(t,n,s)}setOptional(t,e,n){let s=e[n];s!==void 0&&this.setValue(t,n,s)}static upload(t,e,n,s){for(let r=0,a=e.length;r!==a;++r){let o=e[r],l=n[o.id];l.needsUpdate!==!1&&o.setValue(t,l.value,s)}}static seqWithValue(t,e){let n=[];for(let s=0,r=t.length;s!==r;++s){let a=t[s];a.id in e&&n.push(a)}return n}};function gp(i,t,e){let n=i.createShader(t);return i.shaderSource(n,e),i.compileShader(n),n}var Ov=37297,Bv=0;function zv(i,t){let e=i.split(`
`),n=[],s=Math.max(t-6,0),r=Math.min(t+6,e.length);for(let a=s;a<r;a++){let o=a+1;n.push(`${o===t?">":" "} ${o}: ${e[a]}`)}return n.join(`
`)}var _p=new ee;function kv(i){ge._getMatrix(_p,ge.workingColorSpace,i);let t=`mat3( ${_p.elements.map(e=>e.toFixed(4))} )`;switch(ge.getTransfer(i)){case Ua:return[t,"LinearTransferOETF"];case Ee:return[t,"sRGBTransferOETF"];default:return qt("WebGLProgram: Unsupported color space: ",i),[t,"LinearTransferOETF"]}}function xp(i,t,e){let n=i.getShaderParameter(t,i.COMPILE_STATUS),r=(i.getShaderInfoLog(t)||"").trim();if(n&&r==="")return"";let a=/ERROR: 0:(\d+)/.exec(r);if(a){let o=parseInt(a[1]);return e.toUpperCase()+`

`+r+`

`+zv(i.getShaderSource(t),o)}else return r}function Vv(i,t){let e=kv(t);return[`vec4 ${i}( vec4 value ) {`,`	return ${e[1]}( vec4( ${e[0]} * value.rgb, value.a ) );`,"}"].join(`
`)}var Gv={[qh]:"Linear",[Yh]:"Reinhard",[Zh]:"Cineon",[$h]:"ACESFilmic",[Kh]:"AgX",[jh]:"Neutral",[Jh]:"Custom"};function Hv(i,t){let e=Gv[t];return e===void 0?(qt("WebGLProgram: Unsupported toneMapping:",t),"vec3 "+i+"( vec3 color ) { return LinearToneMapping( color ); }"):"vec3 "+i+"( vec3 color ) { return "+e+"ToneMapping( color ); }"}var Tc=new W;function Wv(){ge.getLuminanceCoefficients(Tc);let i=Tc.x.toFixed(4),t=Tc.y.toFixed(4),e=Tc.z.toFixed(4);return["float luminance( const in vec3 rgb ) {",`	const vec3 weights = vec3( ${i}, ${t}, ${e} );`,"	return dot( weights, rgb );","}"].join(`
`)}function Xv(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(mo).join(`
`)}function qv(i){let t=[];for(let e in i){let n=i[e];n!==!1&&t.push("#define "+e+" "+n)}return t.join(`
`)}function Yv(i,t){let e={},n=i.getProgramParameter(t,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){let r=i.getActiveAttrib(t,s),a=r.name,o=1;r.type===i.FLOAT_MAT2&&(o=2),r.type===i.FLOAT_MAT3&&(o=3),r.type===i.FLOAT_MAT4&&(o=4),e[a]={type:r.type,location:i.getAttribLocation(t,a),locationSize:o}}return e}function mo(i){return i!==""}function yp(i,t){let e=t.numSpotLightShadows+t.numSpotLightMaps-t.numSpotLightShadowsWithMaps;return i.replace(/NUM_SUN_LIGHTS/g,t.numSunLights).replace(/NUM_DIR_LIGHTS/g,t.numDirLights).replace(/NUM_SPOT_LIGHTS/g,t.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,t.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,e).replace(/NUM_RECT_AREA_LIGHTS/g,t.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,t.numPointLights).replace(/NUM_HEMI_LIGHTS/g,t.numHemiLights).replace(/NUM_SUN_LIGHT_SHADOWS/g,t.numSunLightShadows).replace(/NUM_DIR_LIGHT_SHADOWS/g,t.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,t.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,t.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,t.numPointLightShadows).replace(/NUM_LIGHT_PROBE_GRIDS/g,t.numLightProbeGrids)}function vp(i,t){return i.replace(/NUM_CLIPPING_PLANES/g,t.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,t.numClippingPlanes-t.numClipIntersection)}var Zv=/^[ \t]*#include +<([\w\d./]+)>/gm;function Eu(i){return i.replace(Zv,$v)}function $v(i,t){let e=ce[t];if(e===void 0)throw new Error("THREE.WebGLProgram: Can not resolve #include <"+t+">");return Eu(e)}var Jv=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function Sp(i){return i.replace(Jv,Kv)}function Kv(i,t,e,n){let s="";for(let r=parseInt(t);r<parseInt(e);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function Mp(i){let t=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?t+=`
#define HIGH_PRECISION`:i.precision==="mediump"?t+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(t+=`
#define LOW_PRECISION`),t}var jv={[ro]:"SHADOWMAP_TYPE_PCF",[$r]:"SHADOWMAP_TYPE_VSM"};function Qv(i){return jv[i.shadowMapType]||"SHADOWMAP_TYPE_BASIC"}var tS={[Kr]:"ENVMAP_MODE_REFRACTION"};function eS(i){return i.envMap===!1?"ENVMAP_MODE_REFLECTION":tS[i.envMapMode]||"ENVMAP_MODE_REFLECTION"}var nS={[Ol]:"ENVMAP_BLENDING_MULTIPLY",[Bf]:"ENVMAP_BLENDING_MIX",[zf]:"ENVMAP_BLENDING_ADD"};function iS(i){return i.envMap===!1?"ENVMAP_BLENDING_NONE":nS[i.combine]||"ENVMAP_BLENDING_NONE"}function sS(i,t,e,n){let s=i.getContext(),r=e.defines,a=e.vertexShader,o=e.fragmentShader,l=Qv(e),c=e.envMapPMREM===!0?"ENVMAP_TYPE_PMREM":"ENVMAP_TYPE_CUBE",u=eS(e),d=iS(e),h=Xv(e),f=qv(r),p=s.createProgram(),_,g,m=e.glslVersion?"#version "+e.glslVersion+`
`:"";e.isRawShaderMaterial?(_=["#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f].filter(mo).join(`
`),_.length>0&&(_+=`
`),g=["#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f].filter(mo).join(`
`),g.length>0&&(g+=`
`)):(_=[Mp(e),"#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f,e.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",e.batching?"#define USE_BATCHING":"",e.batchingColor?"#define USE_BATCHING_COLOR":"",e.instancing?"#define USE_INSTANCING":"",e.instancingColor?"#define USE_INSTANCING_COLOR":"",e.instancingMorph?"#define USE_INSTANCING_MORPH":"",e.useFog&&e.fog?"#define USE_FOG":"",e.useFog&&e.fogExp2?"#define FOG_EXP2":"",e.map?"#define USE_MAP":"",e.envMap?"#define USE_ENVMAP":"",e.envMap?"#define "+u:"",e.lightMap?"#define USE_LIGHTMAP":"",e.aoMap?"#define USE_AOMAP":"",e.bumpMap?"#define USE_BUMPMAP":"",e.normalMap?"#define USE_NORMALMAP":"",e.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",e.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",e.displacementMap?"#define USE_DISPLACEMENTMAP":"",e.emissiveMap?"#define USE_EMISSIVEMAP":"",e.anisotropy?"#define USE_ANISOTROPY":"",e.anisotropyMap?"#define USE_ANISOTROPYMAP":"",e.clearcoatMap?"#define USE_CLEARCOATMAP":"",e.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",e.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",e.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",e.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",e.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",e.specularMap?"#define USE_SPECULARMAP":"",e.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",e.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",e.roughnessMap?"#define USE_ROUGHNESSMAP":"",e.metalnessMap?"#define USE_METALNESSMAP":"",e.alphaMap?"#define USE_ALPHAMAP":"",e.alphaHash?"#define USE_ALPHAHASH":"",e.transmission?"#define USE_TRANSMISSION":"",e.transmissionMap?"#define USE_TRANSMISSIONMAP":"",e.thicknessMap?"#define USE_THICKNESSMAP":"",e.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",e.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",e.mapUv?"#define MAP_UV "+e.mapUv:"",e.alphaMapUv?"#define ALPHAMAP_UV "+e.alphaMapUv:"",e.lightMapUv?"#define LIGHTMAP_UV "+e.lightMapUv:"",e.aoMapUv?"#define AOMAP_UV "+e.aoMapUv:"",e.emissiveMapUv?"#define EMISSIVEMAP_UV "+e.emissiveMapUv:"",e.bumpMapUv?"#define BUMPMAP_UV "+e.bumpMapUv:"",e.normalMapUv?"#define NORMALMAP_UV "+e.normalMapUv:"",e.displacementMapUv?"#define DISPLACEMENTMAP_UV "+e.displacementMapUv:"",e.metalnessMapUv?"#define METALNESSMAP_UV "+e.metalnessMapUv:"",e.roughnessMapUv?"#define ROUGHNESSMAP_UV "+e.roughnessMapUv:"",e.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+e.anisotropyMapUv:"",e.clearcoatMapUv?"#define CLEARCOATMAP_UV "+e.clearcoatMapUv:"",e.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+e.clearcoatNormalMapUv:"",e.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+e.clearcoatRoughnessMapUv:"",e.diffuseRoughnessMapUv?"#define DIFFUSE_ROUGHNESSMAP_UV "+e.diffuseRoughnessMapUv:"",e.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+e.iridescenceMapUv:"",e.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+e.iridescenceThicknessMapUv:"",e.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+e.sheenColorMapUv:"",e.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+e.sheenRoughnessMapUv:"",e.specularMapUv?"#define SPECULARMAP_UV "+e.specularMapUv:"",e.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+e.specularColorMapUv:"",e.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+e.specularIntensityMapUv:"",e.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+e.transmissionMapUv:"",e.thicknessMapUv?"#define THICKNESSMAP_UV "+e.thicknessMapUv:"",e.vertexTangents&&e.flatShading===!1?"#define USE_TANGENT":"",e.vertexNormals?"#define HAS_NORMAL":"",e.vertexColors?"#define USE_COLOR":"",e.vertexAlphas?"#define USE_COLOR_ALPHA":"",e.vertexUv1s?"#define USE_UV1":"",e.vertexUv2s?"#define USE_UV2":"",e.vertexUv3s?"#define USE_UV3":"",e.pointsUvs?"#define USE_POINTS_UV":"",e.flatShading?"#define FLAT_SHADED":"",e.skinning?"#define USE_SKINNING":"",e.morphTargets?"#define USE_MORPHTARGETS":"",e.morphNormals&&e.flatShading===!1?"#define USE_MORPHNORMALS":"",e.morphColors?"#define USE_MORPHCOLORS":"",e.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+e.morphTextureStride:"",e.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+e.morphTargetsCount:"",e.doubleSided?"#define DOUBLE_SIDED":"",e.flipSided?"#define FLIP_SIDED":"",e.shadowMapEnabled?"#define USE_SHADOWMAP":"",e.shadowMapEnabled?"#define "+l:"",e.sizeAttenuation?"#define USE_SIZEATTENUATION":"",e.numLightProbes>0?"#define USE_LIGHT_PROBES":"",e.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",e.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(mo).join(`
`),g=[Mp(e),"#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f,e.useFog&&e.fog?"#define USE_FOG":"",e.useFog&&e.fogExp2?"#define FOG_EXP2":"",e.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",e.map?"#define USE_MAP":"",e.matcap?"#define USE_MATCAP":"",e.envMap?"#define USE_ENVMAP":"",e.envMap?"#define "+c:"",e.envMap?"#define "+u:"",e.envMap?"#define "+d:"",e.envMapPMREM?"#define ENVMAP_MAX_LOD "+e.envMapMaxLod+".0":"",e.envMapPMREM?"#define ENVMAP_SIZE "+e.envMapSize+".0":"",e.lightMap?"#define USE_LIGHTMAP":"",e.aoMap?"#define USE_AOMAP":"",e.bumpMap?"#define USE_BUMPMAP":"",e.normalMap?"#define USE_NORMALMAP":"",e.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",e.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",e.packedNormalMap?"#define USE_PACKED_NORMALMAP":"",e.emissiveMap?"#define USE_EMISSIVEMAP":"",e.anisotropy?"#define USE_ANISOTROPY":"",e.anisotropyMap?"#define USE_ANISOTROPYMAP":"",e.clearcoat?"#define USE_CLEARCOAT":"",e.clearcoatMap?"#define USE_CLEARCOATMAP":"",e.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",e.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",e.diffuseRoughness?"#define USE_DIFFUSE_ROUGHNESS":"",e.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",e.dispersion?"#define USE_DISPERSION":"",e.retroreflection?"#define USE_RETROREFLECTION":"",e.iridescence?"#define USE_IRIDESCENCE":"",e.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",e.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",e.specularMap?"#define USE_SPECULARMAP":"",e.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",e.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",e.roughnessMap?"#define USE_ROUGHNESSMAP":"",e.metalnessMap?"#define USE_METALNESSMAP":"",e.alphaMap?"#define USE_ALPHAMAP":"",e.alphaTest?"#define USE_ALPHATEST":"",e.alphaHash?"#define USE_ALPHAHASH":"",e.sheen?"#define USE_SHEEN":"",e.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",e.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",e.transmission?"#define USE_TRANSMISSION":"",e.transmissionMap?"#define USE_TRANSMISSIONMAP":"",e.thicknessMap?"#define USE_THICKNESSMAP":"",e.vertexTangents&&e.flatShading===!1?"#define USE_TANGENT":"",e.vertexColors||e.instancingColor?"#define USE_COLOR":"",e.vertexAlphas||e.batchingColor?"#define USE_COLOR_ALPHA":"",e.vertexUv1s?"#define USE_UV1":"",e.vertexUv2s?"#define USE_UV2":"",e.vertexUv3s?"#define USE_UV3":"",e.pointsUvs?"#define USE_POINTS_UV":"",e.gradientMap?"#define USE_GRADIENTMAP":"",e.flatShading?"#define FLAT_SHADED":"",e.doubleSided?"#define DOUBLE_SIDED":"",e.flipSided?"#define FLIP_SIDED":"",e.shadowMapEnabled?"#define USE_SHADOWMAP":"",e.shadowMapEnabled?"#define "+l:"",e.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",e.numLightProbes>0?"#define USE_LIGHT_PROBES":"",e.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",e.decodeVideoTextureEmissive?"#define DECODE_VIDEO_TEXTURE_EMISSIVE":"",e.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",e.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",e.toneMapping!==Gi?"#define TONE_MAPPING":"",e.toneMapping!==Gi?ce.tonemapping_pars_fragment:"",e.toneMapping!==Gi?Hv("toneMapping",e.toneMapping):"",e.dithering?"#define DITHERING":"",e.opaque?"#define OPAQUE":"",ce.colorspace_pars_fragment,Vv("linearToOutputTexel",e.outputColorSpace),Wv(),e.useDepthPacking?"#define DEPTH_PACKING "+e.depthPacking:"",`
`].filter(mo).join(`
`)),a=Eu(a),a=yp(a,e),a=vp(a,e),o=Eu(o),o=yp(o,e),o=vp(o,e),a=Sp(a),o=Sp(o),e.isRawShaderMaterial!==!0&&(m=`#version 300 es
`,_=[h,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+_,g=["#define varying in",e.glslVersion===hu?"":"layout(location = 0) out highp vec4 pc_fragColor;",e.glslVersion===hu?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+g);let v=m+_+a,A=m+g+o,M=gp(s,s.VERTEX_SHADER,v),R=gp(s,s.FRAGMENT_SHADER,A);s.attachShader(p,M),s.attachShader(p,R),e.index0AttributeName!==void 0?s.bindAttribLocation(p,0,e.index0AttributeName):e.hasPositionAttribute===!0&&s.bindAttribLocation(p,0,"position"),s.linkProgram(p);function T(N){if(i.debug.checkShaderErrors){let D=s.getProgramInfoLog(p)||"",z=s.getShaderInfoLog(M)||"",G=s.getShaderInfoLog(R)||"",L=D.trim(),H=z.trim(),Y=G.trim(),V=!0,lt=!0;if(s.getProgramParameter(p,s.LINK_STATUS)===!1)if(V=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,p,M,R);else{let J=xp(s,M,"vertex"),j=xp(s,R,"fragment");Qt("WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(p,s.VALIDATE_STATUS)+`

Material Name: `+N.name+`
Material Type: `+N.type+`

Program Info Log: `+L+`
`+J+`
`+j)}else L!==""?qt("WebGLProgram: Program Info Log:",L):(H===""||Y==="")&&(lt=!1);lt&&(N.diagnostics={runnable:V,programLog:L,vertexShader:{log:H,prefix:_},fragmentShader:{log:Y,prefix:g}})}s.deleteShader(M),s.deleteShader(R),x=new ta(s,p),E=Yv(s,p)}let x;this.getUniforms=function(){return x===void 0&&T(this),x};let E;this.getAttributes=function(){return E===void 0&&T(this),E};let O=e.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return O===!1&&(O=s.getProgramParameter(p,Ov)),O},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(p),this.program=void 0},this.type=e.shaderType,this.name=e.shaderName,this.id=Bv++,this.cacheKey=t,this.usedTimes=1,this.program=p,this.vertexShader=M,this.fragmentShader=R,this}var rS=0,Tu=class{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(t,e,n){let s=this._getShaderCacheForMaterial(t);return s.has(e)===!1&&(s.add(e),e.usedTimes++),s.has(n)===!1&&(s.add(n),n.usedTimes++),this}remove(t){let e=this.materialCache.get(t);for(let n of e)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(t),this}getVertexShaderStage(t){return this._getShaderStage(t.vertexShader)}getFragmentShaderStage(t){return this._getShaderStage(t.fragmentShader)}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(t){let e=this.materialCache,n=e.get(t);return n===void 0&&(n=new Set,e.set(t,n)),n}_getShaderStage(t){let e=this.shaderCache,n=e.get(t);return n===void 0&&(n=new Au(t),e.set(t,n)),n}},Au=class{constructor(t){this.id=rS++,this.code=t,this.usedTimes=0}};function aS(i){return i===Fs||i===uo||i===fo}function oS(i,t,e,n,s,r){let a=new Ba,o=new Tu,l=new Set,c=[],u=new Map,d=n.logarithmicDepthBuffer,h={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distance",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function f(x){return l.add(x),x===0?"uv":`uv${x}`}function p(x,E,O,N,D,z){let G=N.fog,L=D.geometry,H=x.isMeshStandardMaterial||x.isMeshLambertMaterial||x.isMeshPhongMaterial?N.environment:null,Y=x.isMeshStandardMaterial||x.isMeshLambertMaterial&&!x.envMap||x.isMeshPhongMaterial&&!x.envMap,V=t.get(x.envMap||H,Y),lt=h[x.type],J=n.precision;x.precision!==null&&(J=n.getMaxPrecision(x.precision),J!==x.precision&&qt("WebGLProgram.getParameters:",x.precision,"not supported, using",J,"instead."));let j=L.morphAttributes.position||L.morphAttributes.normal||L.morphAttributes.color,it=j!==void 0?j.length:0,ut=0;L.morphAttributes.position!==void 0&&(ut=1),L.morphAttributes.normal!==void 0&&(ut=2),L.morphAttributes.color!==void 0&&(ut=3);let ht,Q,mt,xt;if(lt){let Rt=Wi[lt];ht=Rt.vertexShader,Q=Rt.fragmentShader}else{ht=x.vertexShader,Q=x.fragmentShader;let Rt=o.getVertexShaderStage(x),ae=o.getFragmentShaderStage(x);o.update(x,Rt,ae),mt=Rt.id,xt=ae.id}let At=i.getRenderTarget(),Mt=i.state.buffers.depth.getReversed(),Ht=D.isInstancedMesh===!0,se=D.isBatchedMesh===!0,Vt=!!x.map,he=!!x.matcap,oe=!!V,ne=oe&&V.isPMREMTexture===!0,Ge=!!x.aoMap,Ue=!!x.lightMap,en=!!x.bumpMap&&x.wireframe===!1,Pe=!!x.normalMap,xn=!!x.displacementMap,xe=!!x.emissiveMap,hn=!!x.metalnessMap,Ye=!!x.roughnessMap,nn=x.anisotropy>0,F=x.clearcoat>0,Ct=x.diffuseRoughness>0,Yt=x.dispersion>0,re=x.retroreflectivity>0,bt=x.iridescence>0,Le=x.sheen>0,kt=x.transmission>0,Xt=nn&&!!x.anisotropyMap,C=F&&!!x.clearcoatMap,S=F&&!!x.clearcoatNormalMap,X=F&&!!x.clearcoatRoughnessMap,ct=Ct&&!!x.diffuseRoughnessMap,rt=bt&&!!x.iridescenceMap,_t=bt&&!!x.iridescenceThicknessMap,yt=Le&&!!x.sheenColorMap,tt=Le&&!!x.sheenRoughnessMap,nt=!!x.specularMap,ft=!!x.specularColorMap,U=!!x.specularIntensityMap,st=kt&&!!x.transmissionMap,et=kt&&!!x.thicknessMap,wt=!!x.gradientMap,gt=!!x.alphaMap,St=x.alphaTest>0,Gt=!!x.alphaHash,$t=!!x.extensions,ot=Gi;x.toneMapped&&(At===null||At.isXRRenderTarget===!0)&&(ot=i.toneMapping);let Ot=ne?V.isCompressedCubeTexture?V.image[0].mipmaps:V.mipmaps:null,Jt={shaderID:lt,shaderType:x.type,shaderName:x.name,vertexShader:ht,fragmentShader:Q,defines:x.defines,customVertexShaderID:mt,customFragmentShaderID:xt,isRawShaderMaterial:x.isRawShaderMaterial===!0,glslVersion:x.glslVersion,precision:J,batching:se,batchingColor:se&&D._colorsTexture!==null,instancing:Ht,instancingColor:Ht&&D.instanceColor!==null,instancingMorph:Ht&&D.morphTexture!==null,outputColorSpace:At===null?i.outputColorSpace:At.isXRRenderTarget===!0?At.texture.colorSpace:ge.workingColorSpace,alphaToCoverage:!!x.alphaToCoverage,map:Vt,matcap:he,envMap:oe,envMapMode:oe&&V.mapping,envMapPMREM:ne,envMapMaxLod:ne?Ot.length-1:null,envMapSize:ne?Ot[0].width:null,aoMap:Ge,lightMap:Ue,bumpMap:en,normalMap:Pe,displacementMap:xn,emissiveMap:xe,normalMapObjectSpace:Pe&&x.normalMapType===Gf,normalMapTangentSpace:Pe&&x.normalMapType===wc,packedNormalMap:Pe&&x.normalMapType===wc&&aS(x.normalMap.format),metalnessMap:hn,roughnessMap:Ye,anisotropy:nn,anisotropyMap:Xt,clearcoat:F,clearcoatMap:C,clearcoatNormalMap:S,clearcoatRoughnessMap:X,diffuseRoughness:Ct,diffuseRoughnessMap:ct,dispersion:Yt,retroreflection:re,iridescence:bt,iridescenceMap:rt,iridescenceThicknessMap:_t,sheen:Le,sheenColorMap:yt,sheenRoughnessMap:tt,specularMap:nt,specularColorMap:ft,specularIntensityMap:U,transmission:kt,transmissionMap:st,thicknessMap:et,gradientMap:wt,opaque:x.transparent===!1&&x.blending===Jr&&x.alphaToCoverage===!1,alphaMap:gt,alphaTest:St,alphaHash:Gt,combine:x.combine,mapUv:Vt&&f(x.map.channel),aoMapUv:Ge&&f(x.aoMap.channel),lightMapUv:Ue&&f(x.lightMap.channel),bumpMapUv:en&&f(x.bumpMap.channel),normalMapUv:Pe&&f(x.normalMap.channel),displacementMapUv:xn&&f(x.displacementMap.channel),emissiveMapUv:xe&&f(x.emissiveMap.channel),metalnessMapUv:hn&&f(x.metalnessMap.channel),roughnessMapUv:Ye&&f(x.roughnessMap.channel),anisotropyMapUv:Xt&&f(x.anisotropyMap.channel),clearcoatMapUv:C&&f(x.clearcoatMap.channel),clearcoatNormalMapUv:S&&f(x.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:X&&f(x.clearcoatRoughnessMap.channel),diffuseRoughnessMapUv:ct&&f(x.diffuseRoughnessMap.channel),iridescenceMapUv:rt&&f(x.iridescenceMap.channel),iridescenceThicknessMapUv:_t&&f(x.iridescenceThicknessMap.channel),sheenColorMapUv:yt&&f(x.sheenColorMap.channel),sheenRoughnessMapUv:tt&&f(x.sheenRoughnessMap.channel),specularMapUv:nt&&f(x.specularMap.channel),specularColorMapUv:ft&&f(x.specularColorMap.channel),specularIntensityMapUv:U&&f(x.specularIntensityMap.channel),transmissionMapUv:st&&f(x.transmissionMap.channel),thicknessMapUv:et&&f(x.thicknessMap.channel),alphaMapUv:gt&&f(x.alphaMap.channel),vertexTangents:!!L.attributes.tangent&&(Pe||nn),vertexNormals:!!L.attributes.normal,vertexColors:x.vertexColors,vertexAlphas:x.vertexColors===!0&&!!L.attributes.color&&L.attributes.color.itemSize===4,pointsUvs:D.isPoints===!0&&!!L.attributes.uv&&(Vt||gt),fog:!!G,useFog:x.fog===!0,fogExp2:!!G&&G.isFogExp2,flatShading:x.wireframe===!1&&(x.flatShading===!0||L.attributes.normal===void 0&&Pe===!1&&(x.isMeshLambertMaterial||x.isMeshPhongMaterial||x.isMeshStandardMaterial||x.isMeshPhysicalMaterial)),sizeAttenuation:x.sizeAttenuation===!0,logarithmicDepthBuffer:d,reversedDepthBuffer:Mt,skinning:D.isSkinnedMesh===!0,hasPositionAttribute:L.attributes.position!==void 0,morphTargets:L.morphAttributes.position!==void 0,morphNormals:L.morphAttributes.normal!==void 0,morphColors:L.morphAttributes.color!==void 0,morphTargetsCount:it,morphTextureStride:ut,numSunLights:E.sun.length,numDirLights:E.directional.length,numPointLights:E.point.length,numSpotLights:E.spot.length,numSpotLightMaps:E.spotLightMap.length,numRectAreaLights:E.rectArea.length,numHemiLights:E.hemi.length,numSunLightShadows:E.sunShadowMap.length,numDirLightShadows:E.directionalShadowMap.length,numPointLightShadows:E.pointShadowMap.length,numSpotLightShadows:E.spotShadowMap.length,numSpotLightShadowsWithMaps:E.numSpotLightShadowsWithMaps,numLightProbes:E.numLightProbes,numLightProbeGrids:z.filter(Rt=>Rt.texture!==null).length,numClippingPlanes:r.numPlanes,numClipIntersection:r.numIntersection,dithering:x.dithering,shadowMapEnabled:i.shadowMap.enabled&&O.length>0,shadowMapType:i.shadowMap.type,toneMapping:ot,decodeVideoTexture:Vt&&x.map.isVideoTexture===!0&&ge.getTransfer(x.map.colorSpace)===Ee,decodeVideoTextureEmissive:xe&&x.emissiveMap.isVideoTexture===!0&&ge.getTransfer(x.emissiveMap.colorSpace)===Ee,premultipliedAlpha:x.premultipliedAlpha,doubleSided:x.side===ii,flipSided:x.side===Hn,useDepthPacking:x.depthPacking>=0,depthPacking:x.depthPacking||0,index0AttributeName:x.index0AttributeName,extensionClipCullDistance:$t&&x.extensions.clipCullDistance===!0&&e.has("WEBGL_clip_cull_distance"),extensionMultiDraw:($t&&x.extensions.multiDraw===!0||se)&&e.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:e.has("KHR_parallel_shader_compile"),customProgramCacheKey:x.customProgramCacheKey()};return Jt.vertexUv1s=l.has(1),Jt.vertexUv2s=l.has(2),Jt.vertexUv3s=l.has(3),l.clear(),Jt}function _(x){let E=[];if(x.shaderID?E.push(x.shaderID):(E.push(x.customVertexShaderID),E.push(x.customFragmentShaderID)),x.defines!==void 0)for(let O in x.defines)E.push(O),E.push(x.defines[O]);return x.isRawShaderMaterial===!1&&(g(E,x),m(E,x),E.push(i.outputColorSpace)),E.push(x.customProgramCacheKey),E.join()}function g(x,E){x.push(E.precision),x.push(E.outputColorSpace),x.push(E.envMapMode),x.push(E.envMapPMREM),x.push(E.envMapMaxLod),x.push(E.envMapSize),x.push(E.mapUv),x.push(E.alphaMapUv),x.push(E.lightMapUv),x.push(E.aoMapUv),x.push(E.bumpMapUv),x.push(E.normalMapUv),x.push(E.displacementMapUv),x.push(E.emissiveMapUv),x.push(E.metalnessMapUv),x.push(E.roughnessMapUv),x.push(E.anisotropyMapUv),x.push(E.clearcoatMapUv),x.push(E.clearcoatNormalMapUv),x.push(E.clearcoatRoughnessMapUv),x.push(E.diffuseRoughnessMapUv),x.push(E.iridescenceMapUv),x.push(E.iridescenceThicknessMapUv),x.push(E.sheenColorMapUv),x.push(E.sheenRoughnessMapUv),x.push(E.specularMapUv),x.push(E.specularColorMapUv),x.push(E.specularIntensityMapUv),x.push(E.transmissionMapUv),x.push(E.thicknessMapUv),x.push(E.combine),x.push(E.fogExp2),x.push(E.sizeAttenuation),x.push(E.morphTargetsCount),x.push(E.numSunLights),x.push(E.numDirLights),x.push(E.numPointLights),x.push(E.numSpotLights),x.push(E.numSpotLightMaps),x.push(E.numHemiLights),x.push(E.numRectAreaLights),x.push(E.numSunLightShadows),x.push(E.numDirLightShadows),x.push(E.numPointLightShadows),x.push(E.numSpotLightShadows),x.push(E.numSpotLightShadowsWithMaps),x.push(E.numLightProbes),x.push(E.numLightProbeGrids),x.push(E.shadowMapType),x.push(E.toneMapping),x.push(E.numClippingPlanes),x.push(E.numClipIntersection),x.push(E.depthPacking)}function m(x,E){a.disableAll(),E.instancing&&a.enable(0),E.instancingColor&&a.enable(1),E.instancingMorph&&a.enable(2),E.matcap&&a.enable(3),E.envMap&&a.enable(4),E.normalMapObjectSpace&&a.enable(5),E.normalMapTangentSpace&&a.enable(6),E.clearcoat&&a.enable(7),E.iridescence&&a.enable(8),E.alphaTest&&a.enable(9),E.vertexColors&&a.enable(10),E.vertexAlphas&&a.enable(11),E.vertexUv1s&&a.enable(12),E.vertexUv2s&&a.enable(13),E.vertexUv3s&&a.enable(14),E.vertexTangents&&a.enable(15),E.anisotropy&&a.enable(16),E.alphaHash&&a.enable(17),E.batching&&a.enable(18),E.dispersion&&a.enable(19),E.retroreflection&&a.enable(24),E.diffuseRoughness&&a.enable(25),E.batchingColor&&a.enable(20),E.gradientMap&&a.enable(21),E.packedNormalMap&&a.enable(22),E.vertexNormals&&a.enable(23),x.push(a.mask),a.disableAll(),E.fog&&a.enable(0),E.useFog&&a.enable(1),E.flatShading&&a.enable(2),E.logarithmicDepthBuffer&&a.enable(3),E.reversedDepthBuffer&&a.enable(4),E.skinning&&a.enable(5),E.morphTargets&&a.enable(6),E.morphNormals&&a.enable(7),E.morphColors&&a.enable(8),E.premultipliedAlpha&&a.enable(9),E.shadowMapEnabled&&a.enable(10),E.doubleSided&&a.enable(11),E.flipSided&&a.enable(12),E.useDepthPacking&&a.enable(13),E.dithering&&a.enable(14),E.transmission&&a.enable(15),E.sheen&&a.enable(16),E.opaque&&a.enable(17),E.pointsUvs&&a.enable(18),E.decodeVideoTexture&&a.enable(19),E.decodeVideoTextureEmissive&&a.enable(20),E.alphaToCoverage&&a.enable(21),E.numLightProbeGrids>0&&a.enable(22),E.hasPositionAttribute&&a.enable(23),x.push(a.mask)}function v(x){let E=h[x.type],O;if(E){let N=Wi[E];O=ip.clone(N.uniforms)}else O=x.uniforms;return O}function A(x,E){let O=u.get(E);return O!==void 0?++O.usedTimes:(O=new sS(i,E,x,s),c.push(O),u.set(E,O)),O}function M(x){if(--x.usedTimes===0){let E=c.indexOf(x);c[E]=c[c.length-1],c.pop(),u.delete(x.cacheKey),x.destroy()}}function R(x){o.remove(x)}function T(){o.dispose()}return{getParameters:p,getProgramCacheKey:_,getUniforms:v,acquireProgram:A,releaseProgram:M,releaseShaderCache:R,programs:c,dispose:T}}function lS(){let i=new WeakMap;function t(a){return i.has(a)}function e(a){let o=i.get(a);return o===void 0&&(o={},i.set(a,o)),o}function n(a){i.delete(a)}function s(a,o,l){i.get(a)[o]=l}function r(){i=new WeakMap}return{has:t,get:e,remove:n,update:s,dispose:r}}function cS(i,t){return i.groupOrder!==t.groupOrder?i.groupOrder-t.groupOrder:i.renderOrder!==t.renderOrder?i.renderOrder-t.renderOrder:i.material.id!==t.material.id?i.material.id-t.material.id:i.materialVariant!==t.materialVariant?i.materialVariant-t.materialVariant:i.z!==t.z?i.z-t.z:i.id-t.id}function bp(i,t){return i.groupOrder!==t.groupOrder?i.groupOrder-t.groupOrder:i.renderOrder!==t.renderOrder?i.renderOrder-t.renderOrder:i.z!==t.z?t.z-i.z:i.id-t.id}function wp(){let i=[],t=0,e=[],n=[],s=[];function r(){t=0,e.length=0,n.length=0,s.length=0}function a(h){let f=0;return h.isInstancedMesh&&(f+=2),h.isSkinnedMesh&&(f+=1),f}function o(h,f,p,_,g,m){let v=i[t];return v===void 0?(v={id:h.id,object:h,geometry:f,material:p,materialVariant:a(h),groupOrder:_,renderOrder:h.renderOrder,z:g,group:m},i[t]=v):(v.id=h.id,v.object=h,v.geometry=f,v.material=p,v.materialVariant=a(h),v.groupOrder=_,v.renderOrder=h.renderOrder,v.z=g,v.group=m),t++,v}function l(h,f,p,_,g,m,v){v.reversedDepth===!0&&(g=-g);let A=o(h,f,p,_,g,m);p.transmission>0?n.push(A):p.transparent===!0?s.push(A):e.push(A)}function c(h,f,p,_,g,m){let v=o(h,f,p,_,g,m);p.transmission>0?n.unshift(v):p.transparent===!0?s.unshift(v):e.unshift(v)}function u(h,f){e.length>1&&e.sort(h||cS),n.length>1&&n.sort(f||bp),s.length>1&&s.sort(f||bp)}function d(){for(let h=t,f=i.length;h<f;h++){let p=i[h];if(p.id===null)break;p.id=null,p.object=null,p.geometry=null,p.material=null,p.group=null}}return{opaque:e,transmissive:n,transparent:s,init:r,push:l,unshift:c,finish:d,sort:u}}function hS(){let i=new WeakMap;function t(n,s){let r=i.get(n),a;return r===void 0?(a=new wp,i.set(n,[a])):s>=r.length?(a=new wp,r.push(a)):a=r[s],a}function e(){i=new WeakMap}return{get:t,dispose:e}}function uS(){let i={};return{get:function(t){if(i[t.id]!==void 0)return i[t.id];let e;switch(t.type){case"SunLight":case"DirectionalLight":e={direction:new W,color:new te};break;case"SpotLight":e={position:new W,direction:new W,color:new te,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":e={position:new W,color:new te,distance:0,decay:0};break;case"HemisphereLight":e={direction:new W,skyColor:new te,groundColor:new te};break;case"RectAreaLight":e={color:new te,position:new W,halfWidth:new W,halfHeight:new W};break}return i[t.id]=e,e}}}function dS(){let i={};return{get:function(t){if(i[t.id]!==void 0)return i[t.id];let e;switch(t.type){case"SunLight":case"DirectionalLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Kt};break;case"SpotLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Kt};break;case"PointLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Kt,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[t.id]=e,e}}}var fS=0;function pS(i,t){return(t.castShadow?2:0)-(i.castShadow?2:0)+(t.map?1:0)-(i.map?1:0)}function mS(i){let t=new uS,e=dS(),n={version:0,hash:{sunLength:-1,directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numSunShadows:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],sun:[],sunShadow:[],sunShadowMap:[],sunShadowMatrix:[],sunShadowCascade:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new W);let s=new W,r=new ye,a=new ye;function o(c){let u=0,d=0,h=0;for(let z=0;z<9;z++)n.probe[z].set(0,0,0);let f=0,p=0,_=0,g=0,m=0,v=0,A=0,M=0,R=0,T=0,x=0,E=0,O=0,N=0;c.sort(pS);for(let z=0,G=c.length;z<G;z++){let L=c[z],H=L.color,Y=L.intensity,V=L.distance,lt=null;if(L.shadow&&L.shadow.map&&(L.shadow.map.texture.format===Fs?lt=L.shadow.map.texture:lt=L.shadow.map.depthTexture||L.shadow.map.texture),L.isAmbientLight)u+=H.r*Y,d+=H.g*Y,h+=H.b*Y;else if(L.isLightProbe){for(let J=0;J<9;J++)n.probe[J].addScaledVector(L.sh.coefficients[J],Y);N++}else if(L.isSunLight){let J=t.get(L);if(J.color.copy(L.color).multiplyScalar(L.intensity),L.castShadow){let j=L.shadow,it=e.get(L);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize.copy(j.mapSize).multiply(j.getFrameExtents()),n.sunShadow[p]=it,n.sunShadowMap[p]=lt;let ut=j.getViewportCount();for(let ht=0;ht<ut;ht++)n.sunShadowMatrix[_+ht]=j.getMatrix(ht),n.sunShadowCascade[_+ht]=j._cascadeData[ht];_+=ut,p++}n.sun[f]=J,f++}else if(L.isDirectionalLight){let J=t.get(L);if(J.color.copy(L.color).multiplyScalar(L.intensity),L.castShadow){let j=L.shadow,it=e.get(L);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,n.directionalShadow[g]=it,n.directionalShadowMap[g]=lt,n.directionalShadowMatrix[g]=L.shadow.matrix,R++}n.directional[g]=J,g++}else if(L.isSpotLight){let J=t.get(L);J.position.setFromMatrixPosition(L.matrixWorld),J.color.copy(H).multiplyScalar(Y),J.distance=V,J.coneCos=Math.cos(L.angle),J.penumbraCos=Math.cos(L.angle*(1-L.penumbra)),J.decay=L.decay,n.spot[v]=J;let j=L.shadow;if(L.map&&(n.spotLightMap[E]=L.map,E++,j.updateMatrices(L),L.castShadow&&O++),n.spotLightMatrix[v]=j.matrix,L.castShadow){let it=e.get(L);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,n.spotShadow[v]=it,n.spotShadowMap[v]=lt,x++}v++}else if(L.isRectAreaLight){let J=t.get(L);J.color.copy(H).multiplyScalar(Y),J.halfWidth.set(L.width*.5,0,0),J.halfHeight.set(0,L.height*.5,0),n.rectArea[A]=J,A++}else if(L.isPointLight){let J=t.get(L);if(J.color.copy(L.color).multiplyScalar(L.intensity),J.distance=L.distance,J.decay=L.decay,L.castShadow){let j=L.shadow,it=e.get(L);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,it.shadowCameraNear=j.camera.near,it.shadowCameraFar=j.camera.far,n.pointShadow[m]=it,n.pointShadowMap[m]=lt,n.pointShadowMatrix[m]=L.shadow.matrix,T++}n.point[m]=J,m++}else if(L.isHemisphereLight){let J=t.get(L);J.skyColor.copy(L.color).multiplyScalar(Y),J.groundColor.copy(L.groundColor).multiplyScalar(Y),n.hemi[M]=J,M++}}A>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Lt.LTC_FLOAT_1,n.rectAreaLTC2=Lt.LTC_FLOAT_2):(n.rectAreaLTC1=Lt.LTC_HALF_1,n.rectAreaLTC2=Lt.LTC_HALF_2)),n.ambient[0]=u,n.ambient[1]=d,n.ambient[2]=h;let D=n.hash;(D.sunLength!==f||D.directionalLength!==g||D.pointLength!==m||D.spotLength!==v||D.rectAreaLength!==A||D.hemiLength!==M||D.numSunShadows!==p||D.numDirectionalShadows!==R||D.numPointShadows!==T||D.numSpotShadows!==x||D.numSpotMaps!==E||D.numLightProbes!==N)&&(n.sun.length=f,n.directional.length=g,n.spot.length=v,n.rectArea.length=A,n.point.length=m,n.hemi.length=M,n.sunShadow.length=p,n.sunShadowMap.length=p,n.sunShadowMatrix.length=_,n.sunShadowCascade.length=_,n.directionalShadow.length=R,n.directionalShadowMap.length=R,n.directionalShadowMatrix.length=R,n.pointShadow.length=T,n.pointShadowMap.length=T,n.pointShadowMatrix.length=T,n.spotShadow.length=x,n.spotShadowMap.length=x,n.spotLightMatrix.length=x+E-O,n.spotLightMap.length=E,n.numSpotLightShadowsWithMaps=O,n.numLightProbes=N,D.sunLength=f,D.directionalLength=g,D.pointLength=m,D.spotLength=v,D.rectAreaLength=A,D.hemiLength=M,D.numSunShadows=p,D.numDirectionalShadows=R,D.numPointShadows=T,D.numSpotShadows=x,D.numSpotMaps=E,D.numLightProbes=N,n.version=fS++)}function l(c,u){let d=0,h=0,f=0,p=0,_=0,g=0,m=u.matrixWorldInverse;for(let v=0,A=c.length;v<A;v++){let M=c[v];if(M.isSunLight){let R=n.sun[d];R.direction.setFromMatrixPosition(M.matrixWorld),R.direction.transformDirection(m),d++}else if(M.isDirectionalLight){let R=n.directional[h];R.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(m),h++}else if(M.isSpotLight){let R=n.spot[p];R.position.setFromMatrixPosition(M.matrixWorld),R.position.applyMatrix4(m),R.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(m),p++}else if(M.isRectAreaLight){let R=n.rectArea[_];R.position.setFromMatrixPosition(M.matrixWorld),R.position.applyMatrix4(m),a.identity(),r.copy(M.matrixWorld),r.premultiply(m),a.extractRotation(r),R.halfWidth.set(M.width*.5,0,0),R.halfHeight.set(0,M.height*.5,0),R.halfWidth.applyMatrix4(a),R.halfHeight.applyMatrix4(a),_++}else if(M.isPointLight){let R=n.point[f];R.position.setFromMatrixPosition(M.matrixWorld),R.position.applyMatrix4(m),f++}else if(M.isHemisphereLight){let R=n.hemi[g];R.direction.setFromMatrixPosition(M.matrixWorld),R.direction.transformDirection(m),g++}}}return{setup:o,setupView:l,state:n}}function Ep(i){let t=new mS(i),e=[],n=[],s=[];function r(d){u.camera=d,e.length=0,n.length=0,s.length=0}function a(d){d.isLightProbeGrid?s.push(d):e.push(d)}function o(d){n.push(d)}function l(){t.setup(e),s.sort((d,h)=>d.priority-h.priority||d.id-h.id)}function c(d){t.setupView(e,d)}let u={lightsArray:e,shadowsArray:n,lightProbeGridArray:s,camera:null,lights:t,transmissionRenderTarget:{},textureUnits:0};return{init:r,state:u,setupLights:l,setupLightsView:c,pushLight:a,pushShadow:o}}function gS(i){let t=new WeakMap;function e(s,r=0){let a=t.get(s),o;return a===void 0?(o=new Ep(i),t.set(s,[o])):r>=a.length?(o=new Ep(i),a.push(o)):o=a[r],o}function n(){t=new WeakMap}return{get:e,dispose:n}}var _S=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,xS=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ).rg;
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ).r;
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( max( 0.0, squared_mean - mean * mean ) );
	gl_FragColor = vec4( mean, std_dev, 0.0, 1.0 );
}`,yS=[new W(1,0,0),new W(-1,0,0),new W(0,1,0),new W(0,-1,0),new W(0,0,1),new W(0,0,-1)],vS=[new W(0,-1,0),new W(0,-1,0),new W(0,0,1),new W(0,0,-1),new W(0,-1,0),new W(0,-1,0)],Tp=new ye,po=new W,Su=new W;function SS(i,t,e){let n=new As,s=new Kt,r=new Kt,a=new We,o=new bl,l=new wl,c={},u=e.maxTextureSize,d={[Us]:Hn,[Hn]:Us,[ii]:ii},h=new Vi({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new Kt},radius:{value:4}},vertexShader:_S,fragmentShader:xS}),f=h.clone();f.defines.HORIZONTAL_PASS=1;let p=new dn;p.setAttribute("position",new Rn(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));let _=new Cn(p,h),g=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=ro;let m=this.type;this.render=function(T,x,E){if(g.enabled===!1||g.autoUpdate===!1&&g.needsUpdate===!1||T.length===0)return;this.type===yf&&(qt("WebGLShadowMap: PCFSoftShadowMap has been removed. Using PCFShadowMap instead."),this.type=ro);let O=i.getRenderTarget(),N=i.getActiveCubeFace(),D=i.getActiveMipmapLevel(),z=i.state;z.setBlending(Ks),z.buffers.depth.getReversed()===!0?z.buffers.color.setClear(0,0,0,0):z.buffers.color.setClear(1,1,1,1),z.buffers.depth.setTest(!0),z.setScissorTest(!1);let G=m!==this.type;G&&x.traverse(function(L){L.material&&(Array.isArray(L.material)?L.material.forEach(H=>H.needsUpdate=!0):L.material.needsUpdate=!0)});for(let L=0,H=T.length;L<H;L++){let Y=T[L],V=Y.shadow;if(V===void 0){qt("WebGLShadowMap:",Y,"has no shadow.");continue}if(V.autoUpdate===!1&&V.needsUpdate===!1)continue;s.copy(V.mapSize);let lt=V.getFrameExtents();s.multiply(lt),r.copy(V.mapSize),(s.x>u||s.y>u)&&(s.x>u&&(r.x=Math.floor(u/lt.x),s.x=r.x*lt.x,V.mapSize.x=r.x),s.y>u&&(r.y=Math.floor(u/lt.y),s.y=r.y*lt.y,V.mapSize.y=r.y));let J=i.state.buffers.depth.getReversed();if(V.camera._reversedDepth=J,V.map===null||G===!0){if(V.map!==null&&(V.map.depthTexture!==null&&(V.map.depthTexture.dispose(),V.map.depthTexture=null),V.map.dispose()),this.type===$r){if(Y.isPointLight){qt("WebGLShadowMap: VSM shadow maps are not supported for PointLights. Use PCF or BasicShadowMap instead.");continue}V.map=new ei(s.x,s.y,{format:Fs,type:Mi,minFilter:kn,magFilter:kn,generateMipmaps:!1}),V.map.texture.name=Y.name+".shadowMap",V.map.depthTexture=new as(s.x,s.y,ui),V.map.depthTexture.name=Y.name+".shadowMapDepth",V.map.depthTexture.format=ss,V.map.depthTexture.compareFunction=null,V.map.depthTexture.minFilter=wn,V.map.depthTexture.magFilter=wn}else Y.isPointLight?(V.map=new go(s.x),V.map.depthTexture=new Za(s.x,Si)):(V.map=new ei(s.x,s.y),V.map.depthTexture=new as(s.x,s.y,Si)),V.map.depthTexture.name=Y.name+".shadowMap",V.map.depthTexture.format=ss,this.type===ro?(V.map.depthTexture.compareFunction=J?ou:au,V.map.depthTexture.minFilter=kn,V.map.depthTexture.magFilter=kn):(V.map.depthTexture.compareFunction=null,V.map.depthTexture.minFilter=wn,V.map.depthTexture.magFilter=wn);V.camera.updateProjectionMatrix()}V.map.isWebGLCubeRenderTarget!==!0&&(V.map.width!==s.x||V.map.height!==s.y)&&V.map.setSize(s.x,s.y);let j=V.map.isWebGLCubeRenderTarget?6:V.getViewportCount();Y.isPointLight!==!0&&V.updateMatrices(Y,E);let it=(V.camera.layers.mask&4294967294)!==0?V.camera.layers:E.layers;for(let ut=0;ut<j;ut++){let ht=V.getCamera(ut);if(Y.isPointLight){let Q=V.camera,mt=V.matrix,xt=Y.distance||Q.far;xt!==Q.far&&(Q.far=xt,Q.updateProjectionMatrix()),po.setFromMatrixPosition(Y.matrixWorld),Q.position.copy(po),Su.copy(Q.position),Su.add(yS[ut]),Q.up.copy(vS[ut]),Q.lookAt(Su),Q.updateMatrixWorld(),mt.makeTranslation(-po.x,-po.y,-po.z),Tp.multiplyMatrices(Q.projectionMatrix,Q.matrixWorldInverse),V._frustum.setFromProjectionMatrix(Tp,Q.coordinateSystem,Q.reversedDepth)}if(V.map.isWebGLCubeRenderTarget)i.setRenderTarget(V.map,ut),i.clear();else{ut===0&&(i.setRenderTarget(V.map),i.clear());let Q=V.getViewport(ut);a.set(r.x*Q.x,r.y*Q.y,r.x*Q.z,r.y*Q.w),z.viewport(a)}n=V.getFrustum(ut),M(x,E,ht,Y,it,this.type)}V.isPointLightShadow!==!0&&this.type===$r&&v(V,E),V.needsUpdate=!1}m=this.type,g.needsUpdate=!1,i.setRenderTarget(O,N,D)};function v(T,x){let E=t.update(_);h.defines.VSM_SAMPLES!==T.blurSamples&&(h.defines.VSM_SAMPLES=T.blurSamples,f.defines.VSM_SAMPLES=T.blurSamples,h.needsUpdate=!0,f.needsUpdate=!0),T.mapPass===null?T.mapPass=new ei(s.x,s.y,{format:Fs,type:Mi}):(T.mapPass.width!==T.map.width||T.mapPass.height!==T.map.height)&&T.mapPass.setSize(T.map.width,T.map.height),h.uniforms.shadow_pass.value=T.map.depthTexture,h.uniforms.resolution.value.set(T.map.width,T.map.height),h.uniforms.radius.value=T.radius,i.setRenderTarget(T.mapPass),i.clear(),i.renderBufferDirect(x,null,E,h,_,null),f.uniforms.shadow_pass.value=T.mapPass.texture,f.uniforms.resolution.value.set(T.map.width,T.map.height),f.uniforms.radius.value=T.radius,i.setRenderTarget(T.map),i.clear(),i.renderBufferDirect(x,null,E,f,_,null)}function A(T,x,E,O){let N=null,D=E.isPointLight===!0?T.customDistanceMaterial:T.customDepthMaterial;if(D!==void 0)N=D;else if(N=E.isPointLight===!0?l:o,i.localClippingEnabled&&x.clipShadows===!0&&Array.isArray(x.clippingPlanes)&&x.clippingPlanes.length!==0||x.displacementMap&&x.displacementScale!==0||x.alphaMap&&x.alphaTest>0||x.map&&x.alphaTest>0||x.alphaToCoverage===!0){let z=N.uuid,G=x.uuid,L=c[z];L===void 0&&(L={},c[z]=L);let H=L[G];H===void 0&&(H=N.clone(),L[G]=H,x.addEventListener("dispose",R)),N=H}if(N.visible=x.visible,N.wireframe=x.wireframe,O===$r?N.side=x.shadowSide!==null?x.shadowSide:x.side:N.side=x.shadowSide!==null?x.shadowSide:d[x.side],N.alphaMap=x.alphaMap,N.alphaTest=x.alphaToCoverage===!0?.5:x.alphaTest,N.map=x.map,N.clipShadows=x.clipShadows,N.clippingPlanes=x.clippingPlanes,N.clipIntersection=x.clipIntersection,N.displacementMap=x.displacementMap,N.displacementScale=x.displacementScale,N.displacementBias=x.displacementBias,N.wireframeLinewidth=x.wireframeLinewidth,N.linewidth=x.linewidth,E.isPointLight===!0&&N.isMeshDistanceMaterial===!0){let z=i.properties.get(N);z.light=E}return N}function M(T,x,E,O,N,D){if(T.visible===!1)return;if(T.layers.test(N)&&(T.isMesh||T.isLine||T.isPoints)&&(T.castShadow||T.receiveShadow&&D===$r)&&(!T.frustumCulled||T.intersectsFrustum(n))){T.modelViewMatrix.multiplyMatrices(E.matrixWorldInverse,T.matrixWorld);let L=t.update(T),H=T.material;if(Array.isArray(H)){let Y=L.groups;for(let V=0,lt=Y.length;V<lt;V++){let J=Y[V],j=H[J.materialIndex];if(j&&j.visible){let it=A(T,j,O,D);T.onBeforeShadow(i,T,x,E,L,it,J),i.renderBufferDirect(E,null,L,it,T,J),T.onAfterShadow(i,T,x,E,L,it,J)}}}else if(H.visible){let Y=A(T,H,O,D);T.onBeforeShadow(i,T,x,E,L,Y,null),i.renderBufferDirect(E,null,L,Y,T,null),T.onAfterShadow(i,T,x,E,L,Y,null)}}let G=T.children;for(let L=0,H=G.length;L<H;L++)M(G[L],x,E,O,N,D)}function R(T){T.target.removeEventListener("dispose",R);for(let E in c){let O=c[E],N=T.target.uuid;N in O&&(O[N].dispose(),delete O[N])}}}function MS(i,t){function e(){let U=!1,st=new We,et=null,wt=new We(0,0,0,0);return{setMask:function(gt){et!==gt&&!U&&(i.colorMask(gt,gt,gt,gt),et=gt)},setLocked:function(gt){U=gt},setClear:function(gt,St,Gt,$t,ot){ot===!0&&(gt*=$t,St*=$t,Gt*=$t),st.set(gt,St,Gt,$t),wt.equals(st)===!1&&(i.clearColor(gt,St,Gt,$t),wt.copy(st))},reset:function(){U=!1,et=null,wt.set(-1,0,0,0)}}}function n(){let U=!1,st=!1,et=null,wt=null,gt=null;return{setReversed:function(St){if(st!==St){let Gt=t.get("EXT_clip_control");St?Gt.clipControlEXT(Gt.LOWER_LEFT_EXT,Gt.ZERO_TO_ONE_EXT):Gt.clipControlEXT(Gt.LOWER_LEFT_EXT,Gt.NEGATIVE_ONE_TO_ONE_EXT),st=St;let $t=gt;gt=null,this.setClear($t)}},getReversed:function(){return st},setTest:function(St){St?Mt(i.DEPTH_TEST):Ht(i.DEPTH_TEST)},setMask:function(St){et!==St&&!U&&(i.depthMask(St),et=St)},setFunc:function(St){if(st&&(St=Qf[St]),wt!==St){switch(St){case al:i.depthFunc(i.NEVER);break;case ol:i.depthFunc(i.ALWAYS);break;case ll:i.depthFunc(i.LESS);break;case Ur:i.depthFunc(i.LEQUAL);break;case cl:i.depthFunc(i.EQUAL);break;case hl:i.depthFunc(i.GEQUAL);break;case ul:i.depthFunc(i.GREATER);break;case dl:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}wt=St}},setLocked:function(St){U=St},setClear:function(St){gt!==St&&(gt=St,st&&(St=1-St),i.clearDepth(St))},reset:function(){U=!1,et=null,wt=null,gt=null,st=!1}}}function s(){let U=!1,st=null,et=null,wt=null,gt=null,St=null,Gt=null,$t=null,ot=null;return{setTest:function(Ot){U||(Ot?Mt(i.STENCIL_TEST):Ht(i.STENCIL_TEST))},setMask:function(Ot){st!==Ot&&!U&&(i.stencilMask(Ot),st=Ot)},setFunc:function(Ot,Jt,Rt){(et!==Ot||wt!==Jt||gt!==Rt)&&(i.stencilFunc(Ot,Jt,Rt),et=Ot,wt=Jt,gt=Rt)},setOp:function(Ot,Jt,Rt){(St!==Ot||Gt!==Jt||$t!==Rt)&&(i.stencilOp(Ot,Jt,Rt),St=Ot,Gt=Jt,$t=Rt)},setLocked:function(Ot){U=Ot},setClear:function(Ot){ot!==Ot&&(i.clearStencil(Ot),ot=Ot)},reset:function(){U=!1,st=null,et=null,wt=null,gt=null,St=null,Gt=null,$t=null,ot=null}}}let r=new e,a=new n,o=new s,l={},c=new WeakMap,u={},d={},h={},f=new WeakMap,p=[],_=null,g=!1,m=null,v=null,A=null,M=null,R=null,T=null,x=null,E=new te(0,0,0),O=0,N=!1,D=null,z=null,G=null,L=null,H=null,Y=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS),V=!1,lt=0,J=i.getParameter(i.VERSION);J.indexOf("WebGL")!==-1?(lt=parseFloat(/^WebGL (\d)/.exec(J)[1]),V=lt>=1):J.indexOf("OpenGL ES")!==-1&&(lt=parseFloat(/^OpenGL ES (\d)/.exec(J)[1]),V=lt>=2);let j=null,it={},ut=i.getParameter(i.SCISSOR_BOX),ht=i.getParameter(i.VIEWPORT),Q=new We().fromArray(ut),mt=new We().fromArray(ht);function xt(U,st,et,wt){let gt=new Uint8Array(4),St=i.createTexture();i.bindTexture(U,St),i.texParameteri(U,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(U,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let Gt=0;Gt<et;Gt++)U===i.TEXTURE_3D||U===i.TEXTURE_2D_ARRAY?i.texImage3D(st,0,i.RGBA,1,1,wt,0,i.RGBA,i.UNSIGNED_BYTE,gt):i.texImage2D(st+Gt,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,gt);return St}let At={};At[i.TEXTURE_2D]=xt(i.TEXTURE_2D,i.TEXTURE_2D,1),At[i.TEXTURE_CUBE_MAP]=xt(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),At[i.TEXTURE_2D_ARRAY]=xt(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),At[i.TEXTURE_3D]=xt(i.TEXTURE_3D,i.TEXTURE_3D,1,1),r.setClear(0,0,0,1),a.setClear(1),o.setClear(0),Mt(i.DEPTH_TEST),a.setFunc(Ur),en(!1),Pe(kh),Mt(i.CULL_FACE),Ge(Ks);function Mt(U){u[U]!==!0&&(i.enable(U),u[U]=!0)}function Ht(U){u[U]!==!1&&(i.disable(U),u[U]=!1)}function se(U,st){return h[U]!==st?(i.bindFramebuffer(U,st),h[U]=st,U===i.DRAW_FRAMEBUFFER&&(h[i.FRAMEBUFFER]=st),U===i.FRAMEBUFFER&&(h[i.DRAW_FRAMEBUFFER]=st),!0):!1}function Vt(U,st){let et=p,wt=!1;if(U){et=f.get(st),et===void 0&&(et=[],f.set(st,et));let gt=U.textures;if(et.length!==gt.length||et[0]!==i.COLOR_ATTACHMENT0){for(let St=0,Gt=gt.length;St<Gt;St++)et[St]=i.COLOR_ATTACHMENT0+St;et.length=gt.length,wt=!0}}else et[0]!==i.BACK&&(et[0]=i.BACK,wt=!0);wt&&i.drawBuffers(et)}function he(U){return _!==U?(i.useProgram(U),_=U,!0):!1}let oe={[js]:i.FUNC_ADD,[Sf]:i.FUNC_SUBTRACT,[Mf]:i.FUNC_REVERSE_SUBTRACT};oe[bf]=i.MIN,oe[wf]=i.MAX;let ne={[Ef]:i.ZERO,[Tf]:i.ONE,[Af]:i.SRC_COLOR,[Wh]:i.SRC_ALPHA,[Df]:i.SRC_ALPHA_SATURATE,[If]:i.DST_COLOR,[Cf]:i.DST_ALPHA,[Rf]:i.ONE_MINUS_SRC_COLOR,[Xh]:i.ONE_MINUS_SRC_ALPHA,[Lf]:i.ONE_MINUS_DST_COLOR,[Pf]:i.ONE_MINUS_DST_ALPHA,[Nf]:i.CONSTANT_COLOR,[Uf]:i.ONE_MINUS_CONSTANT_COLOR,[Ff]:i.CONSTANT_ALPHA,[Of]:i.ONE_MINUS_CONSTANT_ALPHA};function Ge(U,st,et,wt,gt,St,Gt,$t,ot,Ot){if(U===Ks){g===!0&&(Ht(i.BLEND),g=!1);return}if(g===!1&&(Mt(i.BLEND),g=!0),U!==vf){if(U!==m||Ot!==N){if((v!==js||R!==js)&&(i.blendEquation(i.FUNC_ADD),v=js,R=js),Ot)switch(U){case Jr:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Vh:i.blendFunc(i.ONE,i.ONE);break;case Gh:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case Hh:i.blendFuncSeparate(i.DST_COLOR,i.ONE_MINUS_SRC_ALPHA,i.ZERO,i.ONE);break;default:Qt("WebGLState: Invalid blending: ",U);break}else switch(U){case Jr:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Vh:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE,i.ONE,i.ONE);break;case Gh:Qt("WebGLState: SubtractiveBlending requires material.premultipliedAlpha = true");break;case Hh:Qt("WebGLState: MultiplyBlending requires material.premultipliedAlpha = true");break;default:Qt("WebGLState: Invalid blending: ",U);break}A=null,M=null,T=null,x=null,E.set(0,0,0),O=0,m=U,N=Ot}return}gt=gt||st,St=St||et,Gt=Gt||wt,(st!==v||gt!==R)&&(i.blendEquationSeparate(oe[st],oe[gt]),v=st,R=gt),(et!==A||wt!==M||St!==T||Gt!==x)&&(i.blendFuncSeparate(ne[et],ne[wt],ne[St],ne[Gt]),A=et,M=wt,T=St,x=Gt),($t.equals(E)===!1||ot!==O)&&(i.blendColor($t.r,$t.g,$t.b,ot),E.copy($t),O=ot),m=U,N=!1}function Ue(U,st){U.side===ii?Ht(i.CULL_FACE):Mt(i.CULL_FACE);let et=U.side===Hn;st&&(et=!et),en(et),U.blending===Jr&&U.transparent===!1?Ge(Ks):Ge(U.blending,U.blendEquation,U.blendSrc,U.blendDst,U.blendEquationAlpha,U.blendSrcAlpha,U.blendDstAlpha,U.blendColor,U.blendAlpha,U.premultipliedAlpha),a.setFunc(U.depthFunc),a.setTest(U.depthTest),a.setMask(U.depthWrite),r.setMask(U.colorWrite);let wt=U.stencilWrite;o.setTest(wt),wt&&(o.setMask(U.stencilWriteMask),o.setFunc(U.stencilFunc,U.stencilRef,U.stencilFuncMask),o.setOp(U.stencilFail,U.stencilZFail,U.stencilZPass)),xe(U.polygonOffset,U.polygonOffsetFactor,U.polygonOffsetUnits),U.alphaToCoverage===!0?Mt(i.SAMPLE_ALPHA_TO_COVERAGE):Ht(i.SAMPLE_ALPHA_TO_COVERAGE)}function en(U){D!==U&&(U?i.frontFace(i.CW):i.frontFace(i.CCW),D=U)}function Pe(U){U!==_f?(Mt(i.CULL_FACE),U!==z&&(U===kh?i.cullFace(i.BACK):U===xf?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):Ht(i.CULL_FACE),z=U}function xn(U){U!==G&&(V&&i.lineWidth(U),G=U)}function xe(U,st,et){U?(Mt(i.POLYGON_OFFSET_FILL),(L!==st||H!==et)&&(L=st,H=et,a.getReversed()&&(st=-st,et=-et),i.polygonOffset(st,et))):Ht(i.POLYGON_OFFSET_FILL)}function hn(U){U?Mt(i.SCISSOR_TEST):Ht(i.SCISSOR_TEST)}function Ye(U){U===void 0&&(U=i.TEXTURE0+Y-1),j!==U&&(i.activeTexture(U),j=U)}function nn(U,st,et){et===void 0&&(j===null?et=i.TEXTURE0+Y-1:et=j);let wt=it[et];wt===void 0&&(wt={type:void 0,texture:void 0},it[et]=wt),(wt.type!==U||wt.texture!==st)&&(j!==et&&(i.activeTexture(et),j=et),i.bindTexture(U,st||At[U]),wt.type=U,wt.texture=st)}function F(){let U=it[j];U!==void 0&&U.type!==void 0&&(i.bindTexture(U.type,null),U.type=void 0,U.texture=void 0)}function Ct(){try{i.compressedTexImage2D(...arguments)}catch(U){Qt("WebGLState:",U)}}function Yt(){try{i.compressedTexImage3D(...arguments)}catch(U){Qt("WebGLState:",U)}}function re(){try{i.texSubImage2D(...arguments)}catch(U){Qt("WebGLState:",U)}}function bt(){try{i.texSubImage3D(...arguments)}catch(U){Qt("WebGLState:",U)}}function Le(){try{i.compressedTexSubImage2D(...arguments)}catch(U){Qt("WebGLState:",U)}}function kt(){try{i.compressedTexSubImage3D(...arguments)}catch(U){Qt("WebGLState:",U)}}function Xt(){try{i.texStorage2D(...arguments)}catch(U){Qt("WebGLState:",U)}}function C(){try{i.texStorage3D(...arguments)}catch(U){Qt("WebGLState:",U)}}function S(){try{i.texImage2D(...arguments)}catch(U){Qt("WebGLState:",U)}}function X(){try{i.texImage3D(...arguments)}catch(U){Qt("WebGLState:",U)}}function ct(U){return d[U]!==void 0?d[U]:i.getParameter(U)}function rt(U,st){d[U]!==st&&(i.pixelStorei(U,st),d[U]=st)}function _t(U){Q.equals(U)===!1&&(i.scissor(U.x,U.y,U.z,U.w),Q.copy(U))}function yt(U){mt.equals(U)===!1&&(i.viewport(U.x,U.y,U.z,U.w),mt.copy(U))}function tt(U,st){let et=c.get(st);et===void 0&&(et=new WeakMap,c.set(st,et));let wt=et.get(U);wt===void 0&&(wt=i.getUniformBlockIndex(st,U.name),i.uniformBlockBinding(st,wt,wt),et.set(U,wt))}function nt(U,st,et){let gt=c.get(st).get(U);l[gt]!==et&&(i.bindBufferBase(i.UNIFORM_BUFFER,gt,et),l[gt]=et)}function ft(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),a.setReversed(!1),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),i.pixelStorei(i.PACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,!1),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,!1),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,i.BROWSER_DEFAULT_WEBGL),i.pixelStorei(i.PACK_ROW_LENGTH,0),i.pixelStorei(i.PACK_SKIP_PIXELS,0),i.pixelStorei(i.PACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_ROW_LENGTH,0),i.pixelStorei(i.UNPACK_IMAGE_HEIGHT,0),i.pixelStorei(i.UNPACK_SKIP_PIXELS,0),i.pixelStorei(i.UNPACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_SKIP_IMAGES,0),u={},d={},j=null,it={},h={},l={},f=new WeakMap,p=[],_=null,g=!1,m=null,v=null,A=null,M=null,R=null,T=null,x=null,E=new te(0,0,0),O=0,N=!1,D=null,z=null,G=null,L=null,H=null,Q.set(0,0,i.canvas.width,i.canvas.height),mt.set(0,0,i.canvas.width,i.canvas.height),r.reset(),a.reset(),o.reset()}return{buffers:{color:r,depth:a,stencil:o},enable:Mt,disable:Ht,bindFramebuffer:se,drawBuffers:Vt,useProgram:he,setBlending:Ge,setMaterial:Ue,setFlipSided:en,setCullFace:Pe,setLineWidth:xn,setPolygonOffset:xe,setScissorTest:hn,activeTexture:Ye,bindTexture:nn,unbindTexture:F,compressedTexImage2D:Ct,compressedTexImage3D:Yt,texImage2D:S,texImage3D:X,pixelStorei:rt,getParameter:ct,updateUBOMapping:tt,uniformBlockBinding:nt,texStorage2D:Xt,texStorage3D:C,texSubImage2D:re,texSubImage3D:bt,compressedTexSubImage2D:Le,compressedTexSubImage3D:kt,scissor:_t,viewport:yt,reset:ft}}function bS(i,t,e,n,s,r,a){let o=t.has("WEBGL_multisampled_render_to_texture")?t.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new Kt,u=new WeakMap,d=new Set,h,f=new WeakMap,p=new Set,_=new FinalizationRegistry(C=>p.delete(C)),g=!1;try{g=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function m(C,S){return g?new OffscreenCanvas(C,S):Fa("canvas")}function v(C,S,X){let ct=1,rt=Xt(C);if((rt.width>X||rt.height>X)&&(ct=X/Math.max(rt.width,rt.height)),ct<1)if(typeof HTMLImageElement<"u"&&C instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&C instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&C instanceof ImageBitmap||typeof VideoFrame<"u"&&C instanceof VideoFrame){let _t=Math.floor(ct*rt.width),yt=Math.floor(ct*rt.height);h===void 0&&(h=m(_t,yt));let tt=S?m(_t,yt):h;return tt.width=_t,tt.height=yt,tt.getContext("2d").drawImage(C,0,0,_t,yt),qt("WebGLRenderer: Texture has been resized from ("+rt.width+"x"+rt.height+") to ("+_t+"x"+yt+")."),tt}else return"data"in C&&qt("WebGLRenderer: Image in DataTexture is too big ("+rt.width+"x"+rt.height+")."),C;return C}function A(C){return C.generateMipmaps}function M(C){i.generateMipmap(C)}function R(C){return C.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:C.isWebGL3DRenderTarget?i.TEXTURE_3D:C.isWebGLArrayRenderTarget||C.isCompressedArrayTexture?i.TEXTURE_2D_ARRAY:i.TEXTURE_2D}function T(C,S,X,ct,rt,_t=!1){if(C!==null){if(i[C]!==void 0)return i[C];qt("WebGLRenderer: Attempt to use non-existing WebGL internal format '"+C+"'")}let yt;ct&&(yt=t.get("EXT_texture_norm16"),yt||qt("WebGLRenderer: Unable to use normalized textures without EXT_texture_norm16 extension"));let tt=S;if(S===i.RED&&(X===i.FLOAT&&(tt=i.R32F),X===i.HALF_FLOAT&&(tt=i.R16F),X===i.UNSIGNED_BYTE&&(tt=i.R8),X===i.UNSIGNED_SHORT&&yt&&(tt=yt.R16_EXT),X===i.SHORT&&yt&&(tt=yt.R16_SNORM_EXT)),S===i.RED_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.R8UI),X===i.UNSIGNED_SHORT&&(tt=i.R16UI),X===i.UNSIGNED_INT&&(tt=i.R32UI),X===i.BYTE&&(tt=i.R8I),X===i.SHORT&&(tt=i.R16I),X===i.INT&&(tt=i.R32I)),S===i.RG&&(X===i.FLOAT&&(tt=i.RG32F),X===i.HALF_FLOAT&&(tt=i.RG16F),X===i.UNSIGNED_BYTE&&(tt=i.RG8),X===i.UNSIGNED_SHORT&&yt&&(tt=yt.RG16_EXT),X===i.SHORT&&yt&&(tt=yt.RG16_SNORM_EXT)),S===i.RG_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RG8UI),X===i.UNSIGNED_SHORT&&(tt=i.RG16UI),X===i.UNSIGNED_INT&&(tt=i.RG32UI),X===i.BYTE&&(tt=i.RG8I),X===i.SHORT&&(tt=i.RG16I),X===i.INT&&(tt=i.RG32I)),S===i.RGB_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RGB8UI),X===i.UNSIGNED_SHORT&&(tt=i.RGB16UI),X===i.UNSIGNED_INT&&(tt=i.RGB32UI),X===i.BYTE&&(tt=i.RGB8I),X===i.SHORT&&(tt=i.RGB16I),X===i.INT&&(tt=i.RGB32I)),S===i.RGBA_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RGBA8UI),X===i.UNSIGNED_SHORT&&(tt=i.RGBA16UI),X===i.UNSIGNED_INT&&(tt=i.RGBA32UI),X===i.BYTE&&(tt=i.RGBA8I),X===i.SHORT&&(tt=i.RGBA16I),X===i.INT&&(tt=i.RGBA32I)),S===i.RGB&&(X===i.UNSIGNED_SHORT&&yt&&(tt=yt.RGB16_EXT),X===i.SHORT&&yt&&(tt=yt.RGB16_SNORM_EXT),X===i.UNSIGNED_INT_5_9_9_9_REV&&(tt=i.RGB9_E5),X===i.UNSIGNED_INT_10F_11F_11F_REV&&(tt=i.R11F_G11F_B10F)),S===i.RGBA){let nt=_t?Ua:ge.getTransfer(rt);X===i.FLOAT&&(tt=i.RGBA32F),X===i.HALF_FLOAT&&(tt=i.RGBA16F),X===i.UNSIGNED_BYTE&&(tt=nt===Ee?i.SRGB8_ALPHA8:i.RGBA8),X===i.UNSIGNED_SHORT&&yt&&(tt=yt.RGBA16_EXT),X===i.SHORT&&yt&&(tt=yt.RGBA16_SNORM_EXT),X===i.UNSIGNED_SHORT_4_4_4_4&&(tt=i.RGBA4),X===i.UNSIGNED_SHORT_5_5_5_1&&(tt=i.RGB5_A1)}return(tt===i.R16F||tt===i.R32F||tt===i.RG16F||tt===i.RG32F||tt===i.RGBA16F||tt===i.RGBA32F)&&t.get("EXT_color_buffer_float"),tt}function x(C,S){let X;return C?S===null||S===Si||S===tr?X=i.DEPTH24_STENCIL8:S===ui?X=i.DEPTH32F_STENCIL8:S===jr&&(X=i.DEPTH24_STENCIL8,qt("DepthTexture: 16 bit depth attachment is not supported with stencil. Using 24-bit attachment.")):S===null||S===Si||S===tr?X=i.DEPTH_COMPONENT24:S===ui?X=i.DEPTH_COMPONENT32F:S===jr&&(X=i.DEPTH_COMPONENT16),X}function E(C,S){return A(C)===!0||C.isFramebufferTexture&&C.minFilter!==wn&&C.minFilter!==kn?Math.log2(Math.max(S.width,S.height))+1:C.mipmaps.length>0?C.mipmaps.length:C.isCompressedTexture&&Array.isArray(C.image)?S.mipmaps.length:1}function O(C){let S=new WeakRef(C);n.get(C).__ref=S,p.add(S),_.register(C,S,S)}function N(C){let S=n.get(C).__ref;S!==void 0&&(p.delete(S),_.unregister(S))}function D(C){G(C.target)}function z(C){L(C.target)}function G(C){C.removeEventListener("dispose",D),N(C),Y(C),C.isVideoTexture&&u.delete(C),C.isHTMLTexture&&d.delete(C)}function L(C){C.removeEventListener("dispose",z),N(C),lt(C)}function H(){for(let C of p){let S=C.deref();S!==void 0&&(S.isRenderTarget===!0?L(S):G(S))}p.clear(),d.clear()}function Y(C){let S=n.get(C);if(S.__webglInit===void 0)return;let X=C.source,ct=f.get(X);if(ct){let rt=ct[S.__cacheKey];rt.usedTimes--,rt.usedTimes===0&&V(C),Object.keys(ct).length===0&&f.delete(X)}n.remove(C)}function V(C){let S=n.get(C);i.deleteTexture(S.__webglTexture);let X=C.source,ct=f.get(X);delete ct[S.__cacheKey],a.memory.textures--}function lt(C){let S=n.get(C);S.__depthDisposeCallback&&S.__depthDisposeCallback();let X=C.depthTexture;if(X&&X.renderTarget===C&&G(X),C.isWebGLCubeRenderTarget)for(let rt=0;rt<6;rt++){if(Array.isArray(S.__webglFramebuffer[rt]))for(let _t=0;_t<S.__webglFramebuffer[rt].length;_t++)i.deleteFramebuffer(S.__webglFramebuffer[rt][_t]);else i.deleteFramebuffer(S.__webglFramebuffer[rt]);S.__webglDepthbuffer&&i.deleteRenderbuffer(S.__webglDepthbuffer[rt])}else{if(Array.isArray(S.__webglFramebuffer))for(let rt=0;rt<S.__webglFramebuffer.length;rt++)i.deleteFramebuffer(S.__webglFramebuffer[rt]);else i.deleteFramebuffer(S.__webglFramebuffer);if(S.__webglDepthbuffer&&i.deleteRenderbuffer(S.__webglDepthbuffer),S.__webglMultisampledFramebuffer&&i.deleteFramebuffer(S.__webglMultisampledFramebuffer),S.__webglColorRenderbuffer)for(let rt=0;rt<S.__webglColorRenderbuffer.length;rt++)S.__webglColorRenderbuffer[rt]&&i.deleteRenderbuffer(S.__webglColorRenderbuffer[rt]);S.__webglDepthRenderbuffer&&i.deleteRenderbuffer(S.__webglDepthRenderbuffer)}let ct=C.textures;for(let rt=0,_t=ct.length;rt<_t;rt++){let yt=n.get(ct[rt]);yt.__webglTexture&&(i.deleteTexture(yt.__webglTexture),a.memory.textures--),n.remove(ct[rt])}n.remove(C)}let J=0;function j(){J=0}function it(){return J}function ut(C){J=C}function ht(){let C=J;return C>=s.maxTextures&&qt("WebGLTextures: Trying to use "+(C+1)+" texture units while this GPU supports only "+s.maxTextures),J+=1,C}function Q(C){let S=[];return S.push(C.wrapS),S.push(C.wrapT),S.push(C.wrapR||0),S.push(C.magFilter),S.push(C.minFilter),S.push(C.anisotropy),S.push(C.internalFormat),S.push(C.format),S.push(C.type),S.push(C.generateMipmaps),S.push(C.mipmapsAutoUpdate),S.push(C.premultiplyAlpha),S.push(C.flipY),S.push(C.unpackAlignment),S.push(C.colorSpace),S.join()}function mt(C,S){let X=n.get(C);if(C.isVideoTexture&&Le(C),C.isRenderTargetTexture===!1&&C.isExternalTexture!==!0&&C.version>0&&X.__version!==C.version){let ct=C.image;if(ct===null)qt("WebGLRenderer: Texture marked for update but no image data found.");else if(ct.complete===!1)qt("WebGLRenderer: Texture marked for update but image is incomplete");else{Ue(X,C,S);return}}else C.isExternalTexture&&(X.__webglTexture=C.sourceTexture?C.sourceTexture:null);e.bindTexture(i.TEXTURE_2D,X.__webglTexture,i.TEXTURE0+S)}function xt(C,S){let X=n.get(C);if(C.isRenderTargetTexture===!1&&C.version>0&&X.__version!==C.version){Ue(X,C,S);return}else C.isExternalTexture&&(X.__webglTexture=C.sourceTexture?C.sourceTexture:null);e.bindTexture(i.TEXTURE_2D_ARRAY,X.__webglTexture,i.TEXTURE0+S)}function At(C,S){let X=n.get(C);if(C.isRenderTargetTexture===!1&&C.version>0&&X.__version!==C.version){Ue(X,C,S);return}e.bindTexture(i.TEXTURE_3D,X.__webglTexture,i.TEXTURE0+S)}function Mt(C,S){let X=n.get(C);if(C.version>0&&X.__version!==C.version){en(X,C,S);return}e.bindTexture(i.TEXTURE_CUBE_MAP,X.__webglTexture,i.TEXTURE0+S)}let Ht={[fl]:i.REPEAT,[Fi]:i.CLAMP_TO_EDGE,[pl]:i.MIRRORED_REPEAT},se={[wn]:i.NEAREST,[kf]:i.NEAREST_MIPMAP_NEAREST,[ao]:i.NEAREST_MIPMAP_LINEAR,[kn]:i.LINEAR,[kl]:i.LINEAR_MIPMAP_NEAREST,[os]:i.LINEAR_MIPMAP_LINEAR},Vt={[Wf]:i.NEVER,[lu]:i.ALWAYS,[Xf]:i.LESS,[au]:i.LEQUAL,[qf]:i.EQUAL,[ou]:i.GEQUAL,[Yf]:i.GREATER,[Zf]:i.NOTEQUAL};function he(C,S){if(S.type===ui&&t.has("OES_texture_float_linear")===!1&&(S.magFilter===kn||S.magFilter===kl||S.magFilter===ao||S.magFilter===os||S.minFilter===kn||S.minFilter===kl||S.minFilter===ao||S.minFilter===os)&&qt("WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(C,i.TEXTURE_WRAP_S,Ht[S.wrapS]),i.texParameteri(C,i.TEXTURE_WRAP_T,Ht[S.wrapT]),(C===i.TEXTURE_3D||C===i.TEXTURE_2D_ARRAY)&&i.texParameteri(C,i.TEXTURE_WRAP_R,Ht[S.wrapR]),i.texParameteri(C,i.TEXTURE_MAG_FILTER,se[S.magFilter]),i.texParameteri(C,i.TEXTURE_MIN_FILTER,se[S.minFilter]),S.compareFunction&&(i.texParameteri(C,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(C,i.TEXTURE_COMPARE_FUNC,Vt[S.compareFunction])),t.has("EXT_texture_filter_anisotropic")===!0){if(S.magFilter===wn||S.minFilter!==ao&&S.minFilter!==os||S.type===ui&&t.has("OES_texture_float_linear")===!1)return;if(S.anisotropy>1||n.get(S).__currentAnisotropy){let X=t.get("EXT_texture_filter_anisotropic");i.texParameterf(C,X.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(S.anisotropy,s.getMaxAnisotropy())),n.get(S).__currentAnisotropy=S.anisotropy}}}function oe(C,S){let X=!1;C.__webglInit===void 0&&(C.__webglInit=!0,S.addEventListener("dispose",D),O(S));let ct=S.source,rt=f.get(ct);rt===void 0&&(rt={},f.set(ct,rt));let _t=Q(S);if(_t!==C.__cacheKey){rt[_t]===void 0&&(rt[_t]={texture:i.createTexture(),usedTimes:0},a.memory.textures++,X=!0),rt[_t].usedTimes++;let yt=rt[C.__cacheKey];yt!==void 0&&(rt[C.__cacheKey].usedTimes--,yt.usedTimes===0&&V(S)),C.__cacheKey=_t,C.__webglTexture=rt[_t].texture}return X}function ne(C,S,X){return Math.floor(Math.floor(C/X)/S)}function Ge(C,S,X,ct){let _t=C.updateRanges;if(_t.length===0)e.texSubImage2D(i.TEXTURE_2D,0,0,0,S.width,S.height,X,ct,S.data);else{_t.sort((U,st)=>U.start-st.start);let yt=0;for(let U=1;U<_t.length;U++){let st=_t[yt],et=_t[U],wt=st.start+st.count,gt=ne(et.start,S.width,4),St=ne(st.start,S.width,4);et.start<=wt+1&&gt===St&&ne(et.start+et.count-1,S.width,4)===gt?st.count=Math.max(st.count,et.start+et.count-st.start):(++yt,_t[yt]=et)}_t.length=yt+1;let tt=e.getParameter(i.UNPACK_ROW_LENGTH),nt=e.getParameter(i.UNPACK_SKIP_PIXELS),ft=e.getParameter(i.UNPACK_SKIP_ROWS);e.pixelStorei(i.UNPACK_ROW_LENGTH,S.width);for(let U=0,st=_t.length;U<st;U++){let et=_t[U],wt=Math.floor(et.start/4),gt=Math.ceil(et.count/4),St=wt%S.width,Gt=Math.floor(wt/S.width),$t=gt,ot=1;e.pixelStorei(i.UNPACK_SKIP_PIXELS,St),e.pixelStorei(i.UNPACK_SKIP_ROWS,Gt),e.texSubImage2D(i.TEXTURE_2D,0,St,Gt,$t,ot,X,ct,S.data)}C.clearUpdateRanges(),e.pixelStorei(i.UNPACK_ROW_LENGTH,tt),e.pixelStorei(i.UNPACK_SKIP_PIXELS,nt),e.pixelStorei(i.UNPACK_SKIP_ROWS,ft)}}function Ue(C,S,X){let ct=i.TEXTURE_2D;(S.isDataArrayTexture||S.isCompressedArrayTexture)&&(ct=i.TEXTURE_2D_ARRAY),S.isData3DTexture&&(ct=i.TEXTURE_3D);let rt=oe(C,S),_t=S.source;e.bindTexture(ct,C.__webglTexture,i.TEXTURE0+X);let yt=n.get(_t);if(_t.version!==yt.__version||rt===!0){if(e.activeTexture(i.TEXTURE0+X),(typeof ImageBitmap<"u"&&S.image instanceof ImageBitmap)===!1){let ot=ge.getPrimaries(ge.workingColorSpace),Ot=S.colorSpace===cs?null:ge.getPrimaries(S.colorSpace),Jt=S.colorSpace===cs||ot===Ot?i.NONE:i.BROWSER_DEFAULT_WEBGL;e.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,S.flipY),e.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,S.premultiplyAlpha),e.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Jt)}e.pixelStorei(i.UNPACK_ALIGNMENT,S.unpackAlignment);let nt=v(S.image,!1,s.maxTextureSize);nt=kt(S,nt);let ft=r.convert(S.format,S.colorSpace),U=r.convert(S.type),st=T(S.internalFormat,ft,U,S.normalized,S.colorSpace,S.isVideoTexture);he(ct,S);let et,wt=S.mipmaps,gt=S.isVideoTexture!==!0,St=yt.__version===void 0||rt===!0,Gt=_t.dataReady,$t=E(S,nt);if(S.isDepthTexture)st=x(S.format===ls,S.type),St&&(gt?e.texStorage2D(i.TEXTURE_2D,1,st,nt.width,nt.height):e.texImage2D(i.TEXTURE_2D,0,st,nt.width,nt.height,0,ft,U,null));else if(S.isDataTexture)if(wt.length>0){gt&&St&&e.texStorage2D(i.TEXTURE_2D,$t,st,wt[0].width,wt[0].height);for(let ot=0,Ot=wt.length;ot<Ot;ot++)et=wt[ot],gt?Gt&&e.texSubImage2D(i.TEXTURE_2D,ot,0,0,et.width,et.height,ft,U,et.data):e.texImage2D(i.TEXTURE_2D,ot,st,et.width,et.height,0,ft,U,et.data);S.generateMipmaps=!1}else gt?(St&&e.texStorage2D(i.TEXTURE_2D,$t,st,nt.width,nt.height),Gt&&Ge(S,nt,ft,U)):e.texImage2D(i.TEXTURE_2D,0,st,nt.width,nt.height,0,ft,U,nt.data);else if(S.isCompressedTexture)if(S.isCompressedArrayTexture){gt&&St&&e.texStorage3D(i.TEXTURE_2D_ARRAY,$t,st,wt[0].width,wt[0].height,nt.depth);for(let ot=0,Ot=wt.length;ot<Ot;ot++)if(et=wt[ot],S.format!==bi)if(ft!==null)if(gt){if(Gt)if(S.layerUpdates.size>0){let Jt=yu(et.width,et.height,S.format,S.type);for(let Rt of S.layerUpdates){let ae=et.data.subarray(Rt*Jt/et.data.BYTES_PER_ELEMENT,(Rt+1)*Jt/et.data.BYTES_PER_ELEMENT);e.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ot,0,0,Rt,et.width,et.height,1,ft,ae)}}else e.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ot,0,0,0,et.width,et.height,nt.depth,ft,et.data)}else e.compressedTexImage3D(i.TEXTURE_2D_ARRAY,ot,st,et.width,et.height,nt.depth,0,et.data,0,0);else qt("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()");else gt?Gt&&e.texSubImage3D(i.TEXTURE_2D_ARRAY,ot,0,0,0,et.width,et.height,nt.depth,ft,U,et.data):e.texImage3D(i.TEXTURE_2D_ARRAY,ot,st,et.width,et.height,nt.depth,0,ft,U,et.data);S.layerUpdates.size>0&&S.clearLayerUpdates()}else{gt&&St&&e.texStorage2D(i.TEXTURE_2D,$t,st,wt[0].width,wt[0].height);for(let ot=0,Ot=wt.length;ot<Ot;ot++)et=wt[ot],S.format!==bi?ft!==null?gt?Gt&&e.compressedTexSubImage2D(i.TEXTURE_2D,ot,0,0,et.width,et.height,ft,et.data):e.compressedTexImage2D(i.TEXTURE_2D,ot,st,et.width,et.height,0,et.data):qt("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):gt?Gt&&e.texSubImage2D(i.TEXTURE_2D,ot,0,0,et.width,et.height,ft,U,et.data):e.texImage2D(i.TEXTURE_2D,ot,st,et.width,et.height,0,ft,U,et.data)}else if(S.isDataArrayTexture)if(gt){if(St&&e.texStorage3D(i.TEXTURE_2D_ARRAY,$t,st,nt.width,nt.height,nt.depth),Gt)if(S.layerUpdates.size>0){let ot=yu(nt.width,nt.height,S.format,S.type);for(let Ot of S.layerUpdates){let Jt=nt.data.subarray(Ot*ot/nt.data.BYTES_PER_ELEMENT,(Ot+1)*ot/nt.data.BYTES_PER_ELEMENT);e.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,Ot,nt.width,nt.height,1,ft,U,Jt)}S.clearLayerUpdates()}else e.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,nt.width,nt.height,nt.depth,ft,U,nt.data)}else e.texImage3D(i.TEXTURE_2D_ARRAY,0,st,nt.width,nt.height,nt.depth,0,ft,U,nt.data);else if(S.isData3DTexture)gt?(St&&e.texStorage3D(i.TEXTURE_3D,$t,st,nt.width,nt.height,nt.depth),Gt&&e.texSubImage3D(i.TEXTURE_3D,0,0,0,0,nt.width,nt.height,nt.depth,ft,U,nt.data)):e.texImage3D(i.TEXTURE_3D,0,st,nt.width,nt.height,nt.depth,0,ft,U,nt.data);else if(S.isFramebufferTexture){if(St)if(gt)e.texStorage2D(i.TEXTURE_2D,$t,st,nt.width,nt.height);else{let ot=nt.width,Ot=nt.height;for(let Jt=0;Jt<$t;Jt++)e.texImage2D(i.TEXTURE_2D,Jt,st,ot,Ot,0,ft,U,null),ot>>=1,Ot>>=1}}else if(S.isHTMLTexture){if("texElementImage2D"in i){let ot=i.canvas;if(ot.hasAttribute("layoutsubtree")||ot.setAttribute("layoutsubtree","true"),nt.parentNode!==ot){ot.appendChild(nt),d.add(S),ot.onpaint=Ot=>{let Jt=Ot.changedElements;for(let Rt of d)Jt.includes(Rt.image)&&(Rt.needsUpdate=!0)},ot.requestPaint();return}if(i.texElementImage2D.length===3)i.texElementImage2D(i.TEXTURE_2D,i.RGBA8,nt);else{let Jt=i.RGBA,Rt=i.RGBA,ae=i.UNSIGNED_BYTE;i.texElementImage2D(i.TEXTURE_2D,0,Jt,Rt,ae,nt)}i.texParameteri(i.TEXTURE_2D,i.TEXTURE_MIN_FILTER,i.LINEAR),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_S,i.CLAMP_TO_EDGE),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_T,i.CLAMP_TO_EDGE)}}else if(wt.length>0){if(gt&&St){let ot=Xt(wt[0]);e.texStorage2D(i.TEXTURE_2D,$t,st,ot.width,ot.height)}for(let ot=0,Ot=wt.length;ot<Ot;ot++)et=wt[ot],gt?Gt&&e.texSubImage2D(i.TEXTURE_2D,ot,0,0,ft,U,et):e.texImage2D(i.TEXTURE_2D,ot,st,ft,U,et);S.generateMipmaps=!1}else if(gt){if(St){let ot=Xt(nt);e.texStorage2D(i.TEXTURE_2D,$t,st,ot.width,ot.height)}Gt&&e.texSubImage2D(i.TEXTURE_2D,0,0,0,ft,U,nt)}else e.texImage2D(i.TEXTURE_2D,0,st,ft,U,nt);A(S)&&S.mipmapsAutoUpdate===!0&&M(ct),yt.__version=_t.version,S.onUpdate&&S.onUpdate(S)}C.__version=S.version}function en(C,S,X){if(S.image.length!==6)return;let ct=oe(C,S),rt=S.source;e.bindTexture(i.TEXTURE_CUBE_MAP,C.__webglTexture,i.TEXTURE0+X);let _t=n.get(rt);if(rt.version!==_t.__version||ct===!0){e.activeTexture(i.TEXTURE0+X);let yt=ge.getPrimaries(ge.workingColorSpace),tt=S.colorSpace===cs?null:ge.getPrimaries(S.colorSpace),nt=S.colorSpace===cs||yt===tt?i.NONE:i.BROWSER_DEFAULT_WEBGL;e.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,S.flipY),e.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,S.premultiplyAlpha),e.pixelStorei(i.UNPACK_ALIGNMENT,S.unpackAlignment),e.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,nt);let ft=S.isCompressedTexture||S.image[0].isCompressedTexture,U=S.image[0]&&S.image[0].isDataTexture,st=[];for(let Rt=0;Rt<6;Rt++)!ft&&!U?st[Rt]=v(S.image[Rt],!0,s.maxCubemapSize):st[Rt]=U?S.image[Rt].image:S.image[Rt],st[Rt]=kt(S,st[Rt]);let et=st[0],wt=r.convert(S.format,S.colorSpace),gt=r.convert(S.type),St=T(S.internalFormat,wt,gt,S.normalized,S.colorSpace),Gt=S.isVideoTexture!==!0,$t=_t.__version===void 0||ct===!0,ot=rt.dataReady,Ot=E(S,et);he(i.TEXTURE_CUBE_MAP,S);let Jt;if(S.isDepthTexture){if(St=x(S.format===ls,S.type),$t)if(Gt)e.texStorage2D(i.TEXTURE_CUBE_MAP,1,St,et.width,et.height);else for(let Rt=0;Rt<6;Rt++)e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,0,St,et.width,et.height,0,wt,gt,null)}else if(ft){Gt&&$t&&e.texStorage2D(i.TEXTURE_CUBE_MAP,Ot,St,et.width,et.height);for(let Rt=0;Rt<6;Rt++){Jt=st[Rt].mipmaps;for(let ae=0;ae<Jt.length;ae++){let Fe=Jt[ae];S.format!==bi?wt!==null?Gt?ot&&e.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae,0,0,Fe.width,Fe.height,wt,Fe.data):e.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae,St,Fe.width,Fe.height,0,Fe.data):qt("WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):Gt?ot&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae,0,0,Fe.width,Fe.height,wt,gt,Fe.data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae,St,Fe.width,Fe.height,0,wt,gt,Fe.data)}}}else{if(Jt=S.mipmaps,Gt&&$t){Jt.length>0&&Ot++;let Rt=Xt(st[0]);e.texStorage2D(i.TEXTURE_CUBE_MAP,Ot,St,Rt.width,Rt.height)}for(let Rt=0;Rt<6;Rt++)if(U){Gt?ot&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,0,0,0,st[Rt].width,st[Rt].height,wt,gt,st[Rt].data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,0,St,st[Rt].width,st[Rt].height,0,wt,gt,st[Rt].data);for(let ae=0;ae<Jt.length;ae++){let Nn=Jt[ae].image[Rt].image;Gt?ot&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae+1,0,0,Nn.width,Nn.height,wt,gt,Nn.data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae+1,St,Nn.width,Nn.height,0,wt,gt,Nn.data)}}else{Gt?ot&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,0,0,0,wt,gt,st[Rt]):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,0,St,wt,gt,st[Rt]);for(let ae=0;ae<Jt.length;ae++){let Fe=Jt[ae];Gt?ot&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae+1,0,0,wt,gt,Fe.image[Rt]):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Rt,ae+1,St,wt,gt,Fe.image[Rt])}}}A(S)&&S.mipmapsAutoUpdate===!0&&M(i.TEXTURE_CUBE_MAP),_t.__version=rt.version,S.onUpdate&&S.onUpdate(S)}C.__version=S.version}function Pe(C,S,X,ct,rt,_t){let yt=r.convert(X.format,X.colorSpace),tt=r.convert(X.type),nt=T(X.internalFormat,yt,tt,X.normalized,X.colorSpace),ft=n.get(S),U=n.get(X);if(U.__renderTarget=S,!ft.__hasExternalTextures){let st=Math.max(1,S.width>>_t),et=Math.max(1,S.height>>_t);rt===i.TEXTURE_3D||rt===i.TEXTURE_2D_ARRAY?e.texImage3D(rt,_t,nt,st,et,S.depth,0,yt,tt,null):e.texImage2D(rt,_t,nt,st,et,0,yt,tt,null)}e.bindFramebuffer(i.FRAMEBUFFER,C),bt(S)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ct,rt,U.__webglTexture,0,re(S)):(rt===i.TEXTURE_2D||rt>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&rt<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,ct,rt,U.__webglTexture,_t),e.bindFramebuffer(i.FRAMEBUFFER,null)}function xn(C,S,X){if(i.bindRenderbuffer(i.RENDERBUFFER,C),S.depthBuffer){let ct=S.depthTexture,rt=ct&&ct.isDepthTexture?ct.type:null,_t=x(S.stencilBuffer,rt),yt=S.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;bt(S)?o.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,re(S),_t,S.width,S.height):X?i.renderbufferStorageMultisample(i.RENDERBUFFER,re(S),_t,S.width,S.height):i.renderbufferStorage(i.RENDERBUFFER,_t,S.width,S.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,yt,i.RENDERBUFFER,C)}else{let ct=S.textures;for(let rt=0;rt<ct.length;rt++){let _t=ct[rt],yt=r.convert(_t.format,_t.colorSpace),tt=r.convert(_t.type),nt=T(_t.internalFormat,yt,tt,_t.normalized,_t.colorSpace);bt(S)?o.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,re(S),nt,S.width,S.height):X?i.renderbufferStorageMultisample(i.RENDERBUFFER,re(S),nt,S.width,S.height):i.renderbufferStorage(i.RENDERBUFFER,nt,S.width,S.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function xe(C,S,X){let ct=S.isWebGLCubeRenderTarget===!0;if(e.bindFramebuffer(i.FRAMEBUFFER,C),!(S.depthTexture&&S.depthTexture.isDepthTexture))throw new Error("THREE.WebGLTextures: renderTarget.depthTexture must be an instance of THREE.DepthTexture.");let rt=n.get(S.depthTexture);rt.__renderTarget=S;let _t=ct?S.depthTexture.image[0]:S.depthTexture.image;(!rt.__webglTexture||_t.width!==S.width||_t.height!==S.height)&&(_t.width=S.width,_t.height=S.height,S.depthTexture.needsUpdate=!0),ct?Mt(S.depthTexture,0):mt(S.depthTexture,0);let yt=rt.__webglTexture,tt=re(S),nt=ct?i.TEXTURE_CUBE_MAP_POSITIVE_X+X:i.TEXTURE_2D,ft=S.depthTexture.format===ls?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;if(S.depthTexture.format===ss)bt(S)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ft,nt,yt,0,tt):i.framebufferTexture2D(i.FRAMEBUFFER,ft,nt,yt,0);else if(S.depthTexture.format===ls)bt(S)?o.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ft,nt,yt,0,tt):i.framebufferTexture2D(i.FRAMEBUFFER,ft,nt,yt,0);else throw new Error("THREE.WebGLTextures: Unknown depthTexture format.")}function hn(C){let S=n.get(C),X=C.isWebGLCubeRenderTarget===!0;if(S.__boundDepthTexture!==C.depthTexture){let ct=C.depthTexture;if(S.__depthDisposeCallback&&S.__depthDisposeCallback(),ct){let rt=()=>{delete S.__boundDepthTexture,delete S.__depthDisposeCallback,ct.removeEventListener("dispose",rt)};ct.addEventListener("dispose",rt),S.__depthDisposeCallback=rt}S.__boundDepthTexture=ct}if(C.depthTexture&&!S.__autoAllocateDepthBuffer)if(X)for(let ct=0;ct<6;ct++)xe(S.__webglFramebuffer[ct],C,ct);else C.texture.mipmaps.length>0?xe(S.__webglFramebuffer[0],C,0):xe(S.__webglFramebuffer,C,0);else if(X){S.__webglDepthbuffer=[];for(let ct=0;ct<6;ct++)if(e.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer[ct]),S.__webglDepthbuffer[ct]===void 0)S.__webglDepthbuffer[ct]=i.createRenderbuffer(),xn(S.__webglDepthbuffer[ct],C,!1);else{let rt=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,_t=S.__webglDepthbuffer[ct];i.bindRenderbuffer(i.RENDERBUFFER,_t),i.framebufferRenderbuffer(i.FRAMEBUFFER,rt,i.RENDERBUFFER,_t)}}else if(C.texture.mipmaps.length>0?e.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer[0]):e.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer),S.__webglDepthbuffer===void 0)S.__webglDepthbuffer=i.createRenderbuffer(),xn(S.__webglDepthbuffer,C,!1);else{let rt=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,_t=S.__webglDepthbuffer;i.bindRenderbuffer(i.RENDERBUFFER,_t),i.framebufferRenderbuffer(i.FRAMEBUFFER,rt,i.RENDERBUFFER,_t)}e.bindFramebuffer(i.FRAMEBUFFER,null)}function Ye(C,S,X){let ct=n.get(C);S!==void 0&&Pe(ct.__webglFramebuffer,C,C.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),X!==void 0&&hn(C)}function nn(C){let S=C.texture,X=n.get(C),ct=n.get(S);C.addEventListener("dispose",z),O(C);let rt=C.textures,_t=C.isWebGLCubeRenderTarget===!0,yt=rt.length>1;if(yt||(ct.__webglTexture===void 0&&(ct.__webglTexture=i.createTexture()),ct.__version=S.version,a.memory.textures++),_t){X.__webglFramebuffer=[];for(let tt=0;tt<6;tt++)if(S.mipmaps.length>0){X.__webglFramebuffer[tt]=[];for(let nt=0;nt<S.mipmaps.length;nt++)X.__webglFramebuffer[tt][nt]=i.createFramebuffer()}else X.__webglFramebuffer[tt]=i.createFramebuffer()}else{if(S.mipmaps.length>0){X.__webglFramebuffer=[];for(let tt=0;tt<S.mipmaps.length;tt++)X.__webglFramebuffer[tt]=i.createFramebuffer()}else X.__webglFramebuffer=i.createFramebuffer();if(yt)for(let tt=0,nt=rt.length;tt<nt;tt++){let ft=n.get(rt[tt]);ft.__webglTexture===void 0&&(ft.__webglTexture=i.createTexture(),a.memory.textures++)}if(C.samples>0&&bt(C)===!1){X.__webglMultisampledFramebuffer=i.createFramebuffer(),X.__webglColorRenderbuffer=[],e.bindFramebuffer(i.FRAMEBUFFER,X.__webglMultisampledFramebuffer);for(let tt=0;tt<rt.length;tt++){let nt=rt[tt];X.__webglColorRenderbuffer[tt]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,X.__webglColorRenderbuffer[tt]);let ft=r.convert(nt.format,nt.colorSpace),U=r.convert(nt.type),st=T(nt.internalFormat,ft,U,nt.normalized,nt.colorSpace,C.isXRRenderTarget===!0),et=re(C);i.renderbufferStorageMultisample(i.RENDERBUFFER,et,st,C.width,C.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+tt,i.RENDERBUFFER,X.__webglColorRenderbuffer[tt])}i.bindRenderbuffer(i.RENDERBUFFER,null),C.depthBuffer&&(X.__webglDepthRenderbuffer=i.createRenderbuffer(),xn(X.__webglDepthRenderbuffer,C,!0)),e.bindFramebuffer(i.FRAMEBUFFER,null)}}if(_t){e.bindTexture(i.TEXTURE_CUBE_MAP,ct.__webglTexture),he(i.TEXTURE_CUBE_MAP,S);for(let tt=0;tt<6;tt++)if(S.mipmaps.length>0)for(let nt=0;nt<S.mipmaps.length;nt++)Pe(X.__webglFramebuffer[tt][nt],C,S,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+tt,nt);else Pe(X.__webglFramebuffer[tt],C,S,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+tt,0);A(S)?M(i.TEXTURE_CUBE_MAP):S.mipmaps.length>0&&i.texParameteri(i.TEXTURE_CUBE_MAP,i.TEXTURE_MAX_LEVEL,S.mipmaps.length-1),e.unbindTexture()}else if(yt){for(let tt=0,nt=rt.length;tt<nt;tt++){let ft=rt[tt],U=n.get(ft),st=i.TEXTURE_2D;(C.isWebGL3DRenderTarget||C.isWebGLArrayRenderTarget)&&(st=C.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),e.bindTexture(st,U.__webglTexture),he(st,ft),Pe(X.__webglFramebuffer,C,ft,i.COLOR_ATTACHMENT0+tt,st,0),A(ft)&&M(st)}e.unbindTexture()}else{let tt=i.TEXTURE_2D;if((C.isWebGL3DRenderTarget||C.isWebGLArrayRenderTarget)&&(tt=C.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),e.bindTexture(tt,ct.__webglTexture),he(tt,S),S.mipmaps.length>0)for(let nt=0;nt<S.mipmaps.length;nt++)Pe(X.__webglFramebuffer[nt],C,S,i.COLOR_ATTACHMENT0,tt,nt);else Pe(X.__webglFramebuffer,C,S,i.COLOR_ATTACHMENT0,tt,0);A(S)?M(tt):S.mipmaps.length>0&&i.texParameteri(tt,i.TEXTURE_MAX_LEVEL,S.mipmaps.length-1),e.unbindTexture()}C.depthBuffer&&hn(C)}function F(C){let S=C.textures;for(let X=0,ct=S.length;X<ct;X++){let rt=S[X];if(A(rt)&&rt.mipmapsAutoUpdate===!0){let _t=R(C),yt=n.get(rt).__webglTexture;e.bindTexture(_t,yt),M(_t),e.unbindTexture()}}}let Ct=[];function Yt(C){if(C.samples>0){if(bt(C)===!1){let S=C.textures,X=C.width,ct=C.height,rt=i.COLOR_BUFFER_BIT,_t=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,yt=n.get(C),tt=S.length>1;if(tt)for(let ft=0;ft<S.length;ft++)e.bindFramebuffer(i.FRAMEBUFFER,yt.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.RENDERBUFFER,null),e.bindFramebuffer(i.FRAMEBUFFER,yt.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.TEXTURE_2D,null,0);e.bindFramebuffer(i.READ_FRAMEBUFFER,yt.__webglMultisampledFramebuffer),C.texture.mipmaps.length>0?e.bindFramebuffer(i.DRAW_FRAMEBUFFER,yt.__webglFramebuffer[0]):e.bindFramebuffer(i.DRAW_FRAMEBUFFER,yt.__webglFramebuffer);for(let ft=0;ft<S.length;ft++){if(C.resolveDepthBuffer&&(C.depthBuffer&&(rt|=i.DEPTH_BUFFER_BIT),C.stencilBuffer&&C.resolveStencilBuffer&&(rt|=i.STENCIL_BUFFER_BIT)),tt){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,yt.__webglColorRenderbuffer[ft]);let U=n.get(S[ft]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,U,0)}i.blitFramebuffer(0,0,X,ct,0,0,X,ct,rt,i.NEAREST),l===!0&&(Ct.length=0,Ct.push(i.COLOR_ATTACHMENT0+ft),C.depthBuffer&&C.storeMultisampledDepthBuffer===!1&&Ct.push(_t),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,Ct))}if(e.bindFramebuffer(i.READ_FRAMEBUFFER,null),e.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),tt)for(let ft=0;ft<S.length;ft++){e.bindFramebuffer(i.FRAMEBUFFER,yt.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.RENDERBUFFER,yt.__webglColorRenderbuffer[ft]);let U=n.get(S[ft]).__webglTexture;e.bindFramebuffer(i.FRAMEBUFFER,yt.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.TEXTURE_2D,U,0)}e.bindFramebuffer(i.DRAW_FRAMEBUFFER,yt.__webglMultisampledFramebuffer)}else if(C.depthBuffer&&C.storeMultisampledDepthBuffer===!1&&l){let S=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[S])}}}function re(C){return Math.min(s.maxSamples,C.samples)}function bt(C){let S=n.get(C);return C.samples>0&&t.has("WEBGL_multisampled_render_to_texture")===!0&&S.__useRenderToTexture!==!1}function Le(C){let S=a.render.frame;u.get(C)!==S&&(u.set(C,S),C.update())}function kt(C,S){let X=C.colorSpace,ct=C.format,rt=C.type;return C.isCompressedTexture===!0||C.isVideoTexture===!0||X!==Na&&X!==cs&&(ge.getTransfer(X)===Ee?(ct!==bi||rt!==Xn)&&qt("WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):Qt("WebGLTextures: Unsupported texture color space:",X)),S}function Xt(C){return typeof HTMLImageElement<"u"&&C instanceof HTMLImageElement?(c.width=C.naturalWidth||C.width,c.height=C.naturalHeight||C.height):typeof VideoFrame<"u"&&C instanceof VideoFrame?(c.width=C.displayWidth,c.height=C.displayHeight):(c.width=C.width,c.height=C.height),c}this.allocateTextureUnit=ht,this.resetTextureUnits=j,this.getTextureUnits=it,this.setTextureUnits=ut,this.setTexture2D=mt,this.setTexture2DArray=xt,this.setTexture3D=At,this.setTextureCube=Mt,this.rebindTextures=Ye,this.setupRenderTarget=nn,this.updateRenderTargetMipmap=F,this.updateMultisampleRenderTarget=Yt,this.setupDepthRenderbuffer=hn,this.setupFrameBufferTexture=Pe,this.useMultisampledRTT=bt,this.dispose=H}function wS(i,t){function e(n,s=cs){let r,a=ge.getTransfer(s);if(n===Xn)return i.UNSIGNED_BYTE;if(n===Gl)return i.UNSIGNED_SHORT_4_4_4_4;if(n===Hl)return i.UNSIGNED_SHORT_5_5_5_1;if(n===nu)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===iu)return i.UNSIGNED_INT_10F_11F_11F_REV;if(n===tu)return i.BYTE;if(n===eu)return i.SHORT;if(n===jr)return i.UNSIGNED_SHORT;if(n===Vl)return i.INT;if(n===Si)return i.UNSIGNED_INT;if(n===ui)return i.FLOAT;if(n===Mi)return i.HALF_FLOAT;if(n===su)return i.ALPHA;if(n===ru)return i.RGB;if(n===bi)return i.RGBA;if(n===ss)return i.DEPTH_COMPONENT;if(n===ls)return i.DEPTH_STENCIL;if(n===Wl)return i.RED;if(n===Xl)return i.RED_INTEGER;if(n===Fs)return i.RG;if(n===ql)return i.RG_INTEGER;if(n===Yl)return i.RGBA_INTEGER;if(n===oo||n===lo||n===co||n===ho)if(a===Ee)if(r=t.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===oo)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===lo)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===co)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===ho)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=t.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===oo)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===lo)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===co)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===ho)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===Zl||n===$l||n===Jl||n===Kl)if(r=t.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===Zl)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===$l)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===Jl)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===Kl)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===jl||n===Ql||n===tc||n===ec||n===nc||n===uo||n===ic)if(r=t.get("WEBGL_compressed_texture_etc"),r!==null){if(n===jl||n===Ql)return a===Ee?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===tc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC;if(n===ec)return r.COMPRESSED_R11_EAC;if(n===nc)return r.COMPRESSED_SIGNED_R11_EAC;if(n===uo)return r.COMPRESSED_RG11_EAC;if(n===ic)return r.COMPRESSED_SIGNED_RG11_EAC}else return null;if(n===sc||n===rc||n===ac||n===oc||n===lc||n===cc||n===hc||n===uc||n===dc||n===fc||n===pc||n===mc||n===gc||n===_c)if(r=t.get("WEBGL_compressed_texture_astc"),r!==null){if(n===sc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===rc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===ac)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===oc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===lc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===cc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===hc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===uc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===dc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===fc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===pc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===mc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===gc)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===_c)return a===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===xc||n===yc||n===vc)if(r=t.get("EXT_texture_compression_bptc"),r!==null){if(n===xc)return a===Ee?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===yc)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===vc)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===Sc||n===Mc||n===fo||n===bc)if(r=t.get("EXT_texture_compression_rgtc"),r!==null){if(n===Sc)return r.COMPRESSED_RED_RGTC1_EXT;if(n===Mc)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===fo)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===bc)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===tr?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:e}}var ES=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,TS=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`,Ru=class{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(t,e){if(this.texture===null){let n=new $a(t.texture);(t.depthNear!==e.depthNear||t.depthFar!==e.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=n}}getMesh(t){if(this.texture!==null&&this.mesh===null){let e=t.cameras[0].viewport,n=new Vi({vertexShader:ES,fragmentShader:TS,uniforms:{depthColor:{value:this.texture},depthWidth:{value:e.z},depthHeight:{value:e.w}}});this.mesh=new Cn(new Js(20,20),n)}return this.mesh}reset(){this.texture=null,this.mesh=null}getDepthTexture(){return this.texture}},Cu=class extends vi{constructor(t,e){super();let n=this,s=null,r=1,a=null,o="local-floor",l=1,c=null,u=null,d=null,h=null,f=null,p=null,_=typeof XRWebGLBinding<"u",g=new Ru,m={},v=e.getContextAttributes(),A=null,M=null,R=[],T=[],x=new Kt,E=null,O=null,N=new zn;N.viewport=new We;let D=new zn;D.viewport=new We;let z=[N,D],G=new Fl,L=null,H=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(Q){let mt=R[Q];return mt===void 0&&(mt=new kr,R[Q]=mt),mt.getTargetRaySpace()},this.getControllerGrip=function(Q){let mt=R[Q];return mt===void 0&&(mt=new kr,R[Q]=mt),mt.getGripSpace()},this.getHand=function(Q){let mt=R[Q];return mt===void 0&&(mt=new kr,R[Q]=mt),mt.getHandSpace()};function Y(Q){let mt=T.indexOf(Q.inputSource);if(mt===-1)return;let xt=R[mt];xt!==void 0&&(xt.update(Q.inputSource,Q.frame,c||a),xt.dispatchEvent({type:Q.type,data:Q.inputSource}))}function V(){s.removeEventListener("select",Y),s.removeEventListener("selectstart",Y),s.removeEventListener("selectend",Y),s.removeEventListener("squeeze",Y),s.removeEventListener("squeezestart",Y),s.removeEventListener("squeezeend",Y),s.removeEventListener("end",V),s.removeEventListener("inputsourceschange",lt);for(let Q=0;Q<R.length;Q++){let mt=T[Q];mt!==null&&(T[Q]=null,R[Q].disconnect(mt))}L=null,H=null,g.reset();for(let Q in m)delete m[Q];if(t.setRenderTarget(A),f=null,h=null,d=null,s=null,M=null,ht.stop(),n.isPresenting=!1,t.setPixelRatio(E),t.setSize(x.width,x.height,!1),O!==null){let Q=O.camera;Q.fov=O.fov,Q.zoom=O.zoom,Q.updateProjectionMatrix(),O=null}n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(Q){r=Q,n.isPresenting===!0&&qt("WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(Q){o=Q,n.isPresenting===!0&&qt("WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||a},this.setReferenceSpace=function(Q){c=Q},this.getBaseLayer=function(){return h!==null?h:f},this.getBinding=function(){return d===null&&_&&(d=new XRWebGLBinding(s,e)),d},this.getFrame=function(){return p},this.getSession=function(){return s},this.setSession=async function(Q){if(s=Q,s!==null){if(A=t.getRenderTarget(),s.addEventListener("select",Y),s.addEventListener("selectstart",Y),s.addEventListener("selectend",Y),s.addEventListener("squeeze",Y),s.addEventListener("squeezestart",Y),s.addEventListener("squeezeend",Y),s.addEventListener("end",V),s.addEventListener("inputsourceschange",lt),v.xrCompatible!==!0&&await e.makeXRCompatible(),E=t.getPixelRatio(),t.getSize(x),_&&"createProjectionLayer"in XRWebGLBinding.prototype){let xt=null,At=null,Mt=null;v.depth&&(Mt=v.stencil?e.DEPTH24_STENCIL8:e.DEPTH_COMPONENT24,xt=v.stencil?ls:ss,At=v.stencil?tr:Si);let Ht={colorFormat:e.RGBA8,depthFormat:Mt,scaleFactor:r};d=this.getBinding(),h=d.createProjectionLayer(Ht),s.updateRenderState({layers:[h]}),t.setPixelRatio(1),t.setSize(h.textureWidth,h.textureHeight,!1),M=new ei(h.textureWidth,h.textureHeight,{format:bi,type:Xn,depthTexture:new as(h.textureWidth,h.textureHeight,At,void 0,void 0,void 0,void 0,void 0,void 0,xt),stencilBuffer:v.stencil,colorSpace:t.outputColorSpace,samples:v.antialias?4:0,resolveDepthBuffer:h.ignoreDepthValues===!1,resolveStencilBuffer:h.ignoreDepthValues===!1,storeMultisampledDepthBuffer:h.ignoreDepthValues===!1,storeMultisampledStencilBuffer:h.ignoreDepthValues===!1})}else{let xt={antialias:v.antialias,alpha:!0,depth:v.depth,stencil:v.stencil,framebufferScaleFactor:r};f=new XRWebGLLayer(s,e,xt),s.updateRenderState({baseLayer:f}),t.setPixelRatio(1),t.setSize(f.framebufferWidth,f.framebufferHeight,!1),M=new ei(f.framebufferWidth,f.framebufferHeight,{format:bi,type:Xn,colorSpace:t.outputColorSpace,stencilBuffer:v.stencil,resolveDepthBuffer:f.ignoreDepthValues===!1,resolveStencilBuffer:f.ignoreDepthValues===!1,storeMultisampledDepthBuffer:f.ignoreDepthValues===!1,storeMultisampledStencilBuffer:f.ignoreDepthValues===!1})}M.isXRRenderTarget=!0,this.setFoveation(l),c=null,a=await s.requestReferenceSpace(o),ht.setContext(s),ht.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode},this.getDepthTexture=function(){return g.getDepthTexture()};function lt(Q){for(let mt=0;mt<Q.removed.length;mt++){let xt=Q.removed[mt],At=T.indexOf(xt);At>=0&&(T[At]=null,R[At].disconnect(xt))}for(let mt=0;mt<Q.added.length;mt++){let xt=Q.added[mt],At=T.indexOf(xt);if(At===-1){for(let Ht=0;Ht<R.length;Ht++)if(Ht>=T.length){T.push(xt),At=Ht;break}else if(T[Ht]===null){T[Ht]=xt,At=Ht;break}if(At===-1)break}let Mt=R[At];Mt&&Mt.connect(xt)}}function J(Q,mt){mt===null?Q.matrixWorld.copy(Q.matrix):Q.matrixWorld.multiplyMatrices(mt.matrixWorld,Q.matrix),Q.matrixWorldInverse.copy(Q.matrixWorld).invert()}this.updateCamera=function(Q){if(s===null)return;let mt=Q.near,xt=Q.far;g.texture!==null&&(g.depthNear>0&&(mt=g.depthNear),g.depthFar>0&&(xt=g.depthFar)),G.near=D.near=N.near=mt,G.far=D.far=N.far=xt,(L!==G.near||H!==G.far)&&(s.updateRenderState({depthNear:G.near,depthFar:G.far}),L=G.near,H=G.far),G.layers.mask=Q.layers.mask|6,N.layers.mask=G.layers.mask&-5,D.layers.mask=G.layers.mask&-3;let At=Q.parent,Mt=G.cameras;J(G,At);for(let Ht=0;Ht<Mt.length;Ht++)J(Mt[Ht],At);G.projectionMatrix.copy(N.projectionMatrix),G.projectionMatrixInverse.copy(N.projectionMatrixInverse),O===null&&Q.isPerspectiveCamera&&(O={camera:Q,fov:Q.fov,zoom:Q.zoom}),j(Q,G,At)};function j(Q,mt,xt){xt===null?Q.matrix.copy(mt.matrixWorld):(Q.matrix.copy(xt.matrixWorld),Q.matrix.invert(),Q.matrix.multiply(mt.matrixWorld)),Q.matrix.decompose(Q.position,Q.quaternion,Q.scale),Q.updateMatrixWorld(!0),Q.projectionMatrix.copy(mt.projectionMatrix),Q.projectionMatrixInverse.copy(mt.projectionMatrixInverse),Q.isPerspectiveCamera&&(Q.fov=Br*2*Math.atan(1/Q.projectionMatrix.elements[5]),Q.zoom=1)}this.getCamera=function(){return G},this.getFoveation=function(){if(!(h===null&&f===null))return l},this.setFoveation=function(Q){l=Q,h!==null&&(h.fixedFoveation=Q),f!==null&&f.fixedFoveation!==void 0&&(f.fixedFoveation=Q)},this.hasDepthSensing=function(){return g.texture!==null},this.getDepthSensingMesh=function(){return g.getMesh(G)},this.getCameraTexture=function(Q){return m[Q]};let it=null;function ut(Q,mt){if(u=mt.getViewerPose(c||a),p=mt,u!==null){let xt=u.views;f!==null&&(t.setRenderTargetFramebuffer(M,f.framebuffer),t.setRenderTarget(M));let At=!1;xt.length!==G.cameras.length&&(G.cameras.length=0,At=!0);for(let Vt=0;Vt<xt.length;Vt++){let he=xt[Vt],oe=null;if(f!==null)oe=f.getViewport(he);else{let Ge=d.getViewSubImage(h,he);oe=Ge.viewport,Vt===0&&(t.setRenderTargetTextures(M,Ge.colorTexture,Ge.depthStencilTexture),t.setRenderTarget(M))}let ne=z[Vt];ne===void 0&&(ne=new zn,ne.layers.enable(Vt),ne.viewport=new We,z[Vt]=ne),ne.matrix.fromArray(he.transform.matrix),ne.matrix.decompose(ne.position,ne.quaternion,ne.scale),ne.projectionMatrix.fromArray(he.projectionMatrix),ne.projectionMatrixInverse.copy(ne.projectionMatrix).invert(),ne.viewport.set(oe.x,oe.y,oe.width,oe.height),Vt===0&&(G.matrix.copy(ne.matrix),G.matrix.decompose(G.position,G.quaternion,G.scale)),At===!0&&G.cameras.push(ne)}let Mt=s.enabledFeatures;if(Mt&&Mt.includes("depth-sensing")&&s.depthUsage=="gpu-optimized"&&_){d=n.getBinding();let Vt=d.getDepthInformation(xt[0]);Vt&&Vt.isValid&&Vt.texture&&g.init(Vt,s.renderState)}if(Mt&&Mt.includes("camera-access")&&_){t.state.unbindTexture(),d=n.getBinding();for(let Vt=0;Vt<xt.length;Vt++){let he=xt[Vt].camera;if(he){let oe=m[he];oe||(oe=new $a,m[he]=oe);let ne=d.getCameraImage(he);oe.sourceTexture=ne}}}}for(let xt=0;xt<R.length;xt++){let At=T[xt],Mt=R[xt];At!==null&&Mt!==void 0&&Mt.update(At,mt,c||a)}it&&it(Q,mt),mt.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:mt}),p=null}let ht=new Ap;ht.setAnimationLoop(ut),this.setAnimationLoop=function(Q){it=Q},this.dispose=function(){}}},AS=new ye,Op=new ee;Op.set(-1,0,0,0,1,0,0,0,1);function RS(i,t){function e(g,m){g.matrixAutoUpdate===!0&&g.updateMatrix(),m.value.copy(g.matrix)}function n(g,m){m.color.getRGB(g.fogColor.value,gu(i)),m.isFog?(g.fogNear.value=m.near,g.fogFar.value=m.far):m.isFogExp2&&(g.fogDensity.value=m.density)}function s(g,m,v,A,M){m.isNodeMaterial?m.uniformsNeedUpdate=!1:m.isMeshBasicMaterial?r(g,m):m.isMeshLambertMaterial?(r(g,m),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)):m.isMeshToonMaterial?(r(g,m),d(g,m)):m.isMeshPhongMaterial?(r(g,m),u(g,m),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)):m.isMeshStandardMaterial?(r(g,m),h(g,m),m.isMeshPhysicalMaterial&&f(g,m,M)):m.isMeshMatcapMaterial?(r(g,m),p(g,m)):m.isMeshDepthMaterial?r(g,m):m.isMeshDistanceMaterial?(r(g,m),_(g,m)):m.isMeshNormalMaterial?r(g,m):m.isLineBasicMaterial?(a(g,m),m.isLineDashedMaterial&&o(g,m)):m.isPointsMaterial?l(g,m,v,A):m.isSpriteMaterial?c(g,m):m.isShadowMaterial?(g.color.value.copy(m.color),g.opacity.value=m.opacity):m.isShaderMaterial&&(m.uniformsNeedUpdate=!1)}function r(g,m){g.opacity.value=m.opacity,m.color&&g.diffuse.value.copy(m.color),m.emissive&&g.emissive.value.copy(m.emissive).multiplyScalar(m.emissiveIntensity),m.map&&(g.map.value=m.map,e(m.map,g.mapTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,e(m.alphaMap,g.alphaMapTransform)),m.bumpMap&&(g.bumpMap.value=m.bumpMap,e(m.bumpMap,g.bumpMapTransform),g.bumpScale.value=m.bumpScale,m.side===Hn&&(g.bumpScale.value*=-1)),m.normalMap&&(g.normalMap.value=m.normalMap,e(m.normalMap,g.normalMapTransform),g.normalScale.value.copy(m.normalScale),m.side===Hn&&g.normalScale.value.negate()),m.displacementMap&&(g.displacementMap.value=m.displacementMap,e(m.displacementMap,g.displacementMapTransform),g.displacementScale.value=m.displacementScale,g.displacementBias.value=m.displacementBias),m.emissiveMap&&(g.emissiveMap.value=m.emissiveMap,e(m.emissiveMap,g.emissiveMapTransform)),m.specularMap&&(g.specularMap.value=m.specularMap,e(m.specularMap,g.specularMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest);let v=t.get(m),A=v.envMap,M=v.envMapRotation;A&&(g.envMap.value=A,g.envMapRotation.value.setFromMatrix4(AS.makeRotationFromEuler(M)).transpose(),A.isCubeTexture&&A.isRenderTargetTexture===!1&&g.envMapRotation.value.premultiply(Op),g.reflectivity.value=m.reflectivity,g.ior.value=m.ior,g.refractionRatio.value=m.refractionRatio),m.lightMap&&(g.lightMap.value=m.lightMap,g.lightMapIntensity.value=m.lightMapIntensity,e(m.lightMap,g.lightMapTransform)),m.aoMap&&(g.aoMap.value=m.aoMap,g.aoMapIntensity.value=m.aoMapIntensity,e(m.aoMap,g.aoMapTransform))}function a(g,m){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,m.map&&(g.map.value=m.map,e(m.map,g.mapTransform))}function o(g,m){g.dashSize.value=m.dashSize,g.totalSize.value=m.dashSize+m.gapSize,g.scale.value=m.scale}function l(g,m,v,A){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,g.size.value=m.size*v,g.scale.value=A*.5,m.map&&(g.map.value=m.map,e(m.map,g.uvTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,e(m.alphaMap,g.alphaMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest)}function c(g,m){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,g.rotation.value=m.rotation,m.map&&(g.map.value=m.map,e(m.map,g.mapTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,e(m.alphaMap,g.alphaMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest)}function u(g,m){g.specular.value.copy(m.specular),g.shininess.value=Math.max(m.shininess,1e-4)}function d(g,m){m.gradientMap&&(g.gradientMap.value=m.gradientMap)}function h(g,m){g.metalness.value=m.metalness,m.metalnessMap&&(g.metalnessMap.value=m.metalnessMap,e(m.metalnessMap,g.metalnessMapTransform)),g.roughness.value=m.roughness,m.roughnessMap&&(g.roughnessMap.value=m.roughnessMap,e(m.roughnessMap,g.roughnessMapTransform)),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)}function f(g,m,v){g.ior.value=m.ior,m.diffuseRoughness>0&&(g.diffuseRoughness.value=m.diffuseRoughness,m.diffuseRoughnessMap&&(g.diffuseRoughnessMap.value=m.diffuseRoughnessMap,e(m.diffuseRoughnessMap,g.diffuseRoughnessMapTransform))),m.sheen>0&&(g.sheenColor.value.copy(m.sheenColor).multiplyScalar(m.sheen),g.sheenRoughness.value=m.sheenRoughness,m.sheenColorMap&&(g.sheenColorMap.value=m.sheenColorMap,e(m.sheenColorMap,g.sheenColorMapTransform)),m.sheenRoughnessMap&&(g.sheenRoughnessMap.value=m.sheenRoughnessMap,e(m.sheenRoughnessMap,g.sheenRoughnessMapTransform))),m.clearcoat>0&&(g.clearcoat.value=m.clearcoat,g.clearcoatRoughness.value=m.clearcoatRoughness,m.clearcoatMap&&(g.clearcoatMap.value=m.clearcoatMap,e(m.clearcoatMap,g.clearcoatMapTransform)),m.clearcoatRoughnessMap&&(g.clearcoatRoughnessMap.value=m.clearcoatRoughnessMap,e(m.clearcoatRoughnessMap,g.clearcoatRoughnessMapTransform)),m.clearcoatNormalMap&&(g.clearcoatNormalMap.value=m.clearcoatNormalMap,e(m.clearcoatNormalMap,g.clearcoatNormalMapTransform),g.clearcoatNormalScale.value.copy(m.clearcoatNormalScale),m.side===Hn&&g.clearcoatNormalScale.value.negate())),m.dispersion>0&&(g.dispersion.value=m.dispersion),m.retroreflectivity>0&&(g.retroreflectivity.value=m.retroreflectivity),m.iridescence>0&&(g.iridescence.value=m.iridescence,g.iridescenceIOR.value=m.iridescenceIOR,g.iridescenceThicknessMinimum.value=m.iridescenceThicknessMinimum,g.iridescenceThicknessMaximum.value=m.iridescenceThicknessMaximum,m.iridescenceMap&&(g.iridescenceMap.value=m.iridescenceMap,e(m.iridescenceMap,g.iridescenceMapTransform)),m.iridescenceThicknessMap&&(g.iridescenceThicknessMap.value=m.iridescenceThicknessMap,e(m.iridescenceThicknessMap,g.iridescenceThicknessMapTransform))),m.transmission>0&&(g.transmission.value=m.transmission,g.transmissionSamplerMap.value=v.texture,g.transmissionSamplerSize.value.set(v.width,v.height),m.transmissionMap&&(g.transmissionMap.value=m.transmissionMap,e(m.transmissionMap,g.transmissionMapTransform)),g.thickness.value=m.thickness,m.thicknessMap&&(g.thicknessMap.value=m.thicknessMap,e(m.thicknessMap,g.thicknessMapTransform)),g.attenuationDistance.value=m.attenuationDistance,g.attenuationColor.value.copy(m.attenuationColor)),m.anisotropy>0&&(g.anisotropyVector.value.set(m.anisotropy*Math.cos(m.anisotropyRotation),m.anisotropy*Math.sin(m.anisotropyRotation)),m.anisotropyMap&&(g.anisotropyMap.value=m.anisotropyMap,e(m.anisotropyMap,g.anisotropyMapTransform))),g.specularIntensity.value=m.specularIntensity,g.specularColor.value.copy(m.specularColor),m.specularColorMap&&(g.specularColorMap.value=m.specularColorMap,e(m.specularColorMap,g.specularColorMapTransform)),m.specularIntensityMap&&(g.specularIntensityMap.value=m.specularIntensityMap,e(m.specularIntensityMap,g.specularIntensityMapTransform))}function p(g,m){m.matcap&&(g.matcap.value=m.matcap)}function _(g,m){let v=t.get(m).light;g.referencePosition.value.setFromMatrixPosition(v.matrixWorld),g.nearDistance.value=v.shadow.camera.near,g.farDistance.value=v.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function CS(i,t,e,n){let s={},r={};function a(v,A){let M=A.program;n.uniformBlockBinding(v,M,s[v.id])}function o(v,A){let M=s[v.id];M===void 0&&(p(v),M=l(v),s[v.id]=M,v.addEventListener("dispose",g));let R=A.program;n.updateUBOMapping(v,R);let T=t.render.frame;r[v.id]!==T&&(c(v),r[v.id]=T)}function l(v){let A=i.createBuffer(),M=v.__size,R=v.usage;return i.bindBuffer(i.UNIFORM_BUFFER,A),i.bufferData(i.UNIFORM_BUFFER,M,R),i.bindBuffer(i.UNIFORM_BUFFER,null),A}function c(v){let A=s[v.id],M=v.uniforms,R=v.__cache;i.bindBuffer(i.UNIFORM_BUFFER,A);for(let T=0,x=M.length;T<x;T++){let E=M[T];if(Array.isArray(E))for(let O=0,N=E.length;O<N;O++)u(E[O],T,O,R);else u(E,T,0,R)}i.bindBuffer(i.UNIFORM_BUFFER,null)}function u(v,A,M,R){if(h(v,A,M,R)===!0){let T=v.__offset,x=v.value;if(Array.isArray(x)){let E=0;for(let O=0;O<x.length;O++){let N=x[O],D=_(N,!0);d(N,v.__data,E),E+=D.storage/Float32Array.BYTES_PER_ELEMENT}}else d(x,v.__data,0);i.bufferSubData(i.UNIFORM_BUFFER,T,v.__data)}}function d(v,A,M){typeof v=="number"||typeof v=="boolean"?A[M]=v:v.isMatrix3?(A[M]=v.elements[0],A[M+1]=v.elements[1],A[M+2]=v.elements[2],A[M+3]=0,A[M+4]=v.elements[3],A[M+5]=v.elements[4],A[M+6]=v.elements[5],A[M+7]=0,A[M+8]=v.elements[6],A[M+9]=v.elements[7],A[M+10]=v.elements[8],A[M+11]=0):ArrayBuffer.isView(v)?A.set(v.subarray(0,A.length-M),M):v.toArray(A,M)}function h(v,A,M,R){let T=v.value,x=A+"_"+M;if(Array.isArray(T)){R[x]===void 0&&(R[x]=[]);let E=R[x],O=!1;for(let N=0;N<T.length;N++)f(T[N],E,N)===!0&&(O=!0);return O}return f(T,R,x)}function f(v,A,M){if(A[M]===void 0)return typeof v=="number"||typeof v=="boolean"?A[M]=v:ArrayBuffer.isView(v)?A[M]=v.slice():A[M]=v.clone(),!0;{let R=A[M];if(typeof v=="number"||typeof v=="boolean"){if(R!==v)return A[M]=v,!0}else{if(ArrayBuffer.isView(v))return!0;if(R.equals(v)===!1)return R.copy(v),!0}}return!1}function p(v){let A=v.uniforms,M=0,R=16;for(let x=0,E=A.length;x<E;x++){let O=Array.isArray(A[x])?A[x]:[A[x]];for(let N=0,D=O.length;N<D;N++){let z=O[N],G=Array.isArray(z.value)?z.value:[z.value],L=Array.isArray(A[x])||Array.isArray(z.value),H=M;for(let V=0,lt=G.length;V<lt;V++){let J=G[V],j=_(J,L),it=M%R,ut=it%j.boundary,ht=it+ut;M+=ut,ht!==0&&R-ht<j.storage&&(M+=R-ht),V===0&&(H=M),M+=j.storage}let Y=z.type==="int"?Int32Array:z.type==="uint"?Uint32Array:Float32Array;z.__data=new Y((M-H)/Float32Array.BYTES_PER_ELEMENT),z.__offset=H}}let T=M%R;return T>0&&(M+=R-T),v.__size=M,v.__cache={},this}function _(v,A){let M={boundary:0,storage:0};return typeof v=="number"||typeof v=="boolean"?(M.boundary=4,M.storage=4):v.isVector2?(M.boundary=8,M.storage=8):v.isVector3||v.isColor?(M.boundary=16,M.storage=12):v.isVector4?(M.boundary=16,M.storage=16):v.isMatrix3?(M.boundary=16,M.storage=48):v.isMatrix4?(M.boundary=16,M.storage=64):v.isTexture?qt("WebGLRenderer: Texture samplers can not be part of an uniforms group."):ArrayBuffer.isView(v)?(M.boundary=16,M.storage=v.byteLength):qt("WebGLRenderer: Unsupported uniform value type.",v),A===!0&&(M.boundary=16,M.storage=Math.ceil(M.storage/16)*16),M}function g(v){let A=v.target;A.removeEventListener("dispose",g),i.deleteBuffer(s[A.id]),delete s[A.id],delete r[A.id]}function m(){for(let v in s)i.deleteBuffer(s[v]);s={},r={}}return{bind:a,update:o,dispose:m}}var PS=new Uint16Array([12469,15057,12620,14925,13266,14620,13807,14376,14323,13990,14545,13625,14713,13328,14840,12882,14931,12528,14996,12233,15039,11829,15066,11525,15080,11295,15085,10976,15082,10705,15073,10495,13880,14564,13898,14542,13977,14430,14158,14124,14393,13732,14556,13410,14702,12996,14814,12596,14891,12291,14937,11834,14957,11489,14958,11194,14943,10803,14921,10506,14893,10278,14858,9960,14484,14039,14487,14025,14499,13941,14524,13740,14574,13468,14654,13106,14743,12678,14818,12344,14867,11893,14889,11509,14893,11180,14881,10751,14852,10428,14812,10128,14765,9754,14712,9466,14764,13480,14764,13475,14766,13440,14766,13347,14769,13070,14786,12713,14816,12387,14844,11957,14860,11549,14868,11215,14855,10751,14825,10403,14782,10044,14729,9651,14666,9352,14599,9029,14967,12835,14966,12831,14963,12804,14954,12723,14936,12564,14917,12347,14900,11958,14886,11569,14878,11247,14859,10765,14828,10401,14784,10011,14727,9600,14660,9289,14586,8893,14508,8533,15111,12234,15110,12234,15104,12216,15092,12156,15067,12010,15028,11776,14981,11500,14942,11205,14902,10752,14861,10393,14812,9991,14752,9570,14682,9252,14603,8808,14519,8445,14431,8145,15209,11449,15208,11451,15202,11451,15190,11438,15163,11384,15117,11274,15055,10979,14994,10648,14932,10343,14871,9936,14803,9532,14729,9218,14645,8742,14556,8381,14461,8020,14365,7603,15273,10603,15272,10607,15267,10619,15256,10631,15231,10614,15182,10535,15118,10389,15042,10167,14963,9787,14883,9447,14800,9115,14710,8665,14615,8318,14514,7911,14411,7507,14279,7198,15314,9675,15313,9683,15309,9712,15298,9759,15277,9797,15229,9773,15166,9668,15084,9487,14995,9274,14898,8910,14800,8539,14697,8234,14590,7790,14479,7409,14367,7067,14178,6621,15337,8619,15337,8631,15333,8677,15325,8769,15305,8871,15264,8940,15202,8909,15119,8775,15022,8565,14916,8328,14804,8009,14688,7614,14569,7287,14448,6888,14321,6483,14088,6171,15350,7402,15350,7419,15347,7480,15340,7613,15322,7804,15287,7973,15229,8057,15148,8012,15046,7846,14933,7611,14810,7357,14682,7069,14552,6656,14421,6316,14251,5948,14007,5528,15356,5942,15356,5977,15353,6119,15348,6294,15332,6551,15302,6824,15249,7044,15171,7122,15070,7050,14949,6861,14818,6611,14679,6349,14538,6067,14398,5651,14189,5311,13935,4958,15359,4123,15359,4153,15356,4296,15353,4646,15338,5160,15311,5508,15263,5829,15188,6042,15088,6094,14966,6001,14826,5796,14678,5543,14527,5287,14377,4985,14133,4586,13869,4257,15360,1563,15360,1642,15358,2076,15354,2636,15341,3350,15317,4019,15273,4429,15203,4732,15105,4911,14981,4932,14836,4818,14679,4621,14517,4386,14359,4156,14083,3795,13808,3437,15360,122,15360,137,15358,285,15355,636,15344,1274,15322,2177,15281,2765,15215,3223,15120,3451,14995,3569,14846,3567,14681,3466,14511,3305,14344,3121,14037,2800,13753,2467,15360,0,15360,1,15359,21,15355,89,15346,253,15325,479,15287,796,15225,1148,15133,1492,15008,1749,14856,1882,14685,1886,14506,1783,14324,1608,13996,1398,13702,1183]),Hi=null;function IS(){return Hi===null&&(Hi=new Ga(PS,16,16,Fs,Mi),Hi.name="DFG_LUT",Hi.minFilter=kn,Hi.magFilter=kn,Hi.wrapS=Fi,Hi.wrapT=Fi,Hi.generateMipmaps=!1,Hi.needsUpdate=!0),Hi}var Rc=class{constructor(t={}){let{canvas:e=Jf(),context:n=null,depth:s=!0,stencil:r=!1,alpha:a=!1,antialias:o=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:u="default",failIfMajorPerformanceCaveat:d=!1,reversedDepthBuffer:h=!1,outputBufferType:f=Xn}=t;this.isWebGLRenderer=!0;let p;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");p=n.getContextAttributes().alpha}else p=a;let _=f,g=new Set([Yl,ql,Xl]),m=new Set([Xn,Si,jr,tr,Gl,Hl]),v=new Uint32Array(4),A=new Int32Array(4),M={textures:[],min:[],max:[],resolution:[]},R=null,T=null,x=[],E=[],O=null;this.domElement=e,this.debug={checkShaderErrors:!0,diagnostics:{keywords:!1},onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this.toneMapping=Gi,this.toneMappingExposure=1,this.transmissionResolutionScale=1;let N=this,D=!1,z=null,G=null,L=null,H=null;this._outputColorSpace=Qn;let Y=0,V=0,lt=null,J=-1,j=null,it=new We,ut=new We,ht=null,Q=new te(0),mt=0,xt=e.width,At=e.height,Mt=1,Ht=null,se=null,Vt=new We(0,0,xt,At),he=new We(0,0,xt,At),oe=!1,ne=new As,Ge=new yl,Ue=!1,en=!1,Pe=new ye,xn=new W,xe=new We,hn={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0},Ye=!1;function nn(){return lt===null?Mt:1}let F=n;function Ct(w,B){return e.getContext(w,B)}let Yt,re,bt,Le,kt,Xt,C,S,X,ct,rt,_t,yt,tt,nt,ft,U,st,et,wt,gt,St,Gt;try{let w={alpha:!0,depth:s,stencil:r,antialias:o,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:u,failIfMajorPerformanceCaveat:d};if("setAttribute"in e&&e.setAttribute("data-engine",`three.js r${"187"}`),e.addEventListener("webglcontextlost",Ot,!1),e.addEventListener("webglcontextrestored",Jt,!1),e.addEventListener("webglcontextcreationerror",Rt,!1),F===null){let B="webgl2";if(F=Ct(B,w),F===null)throw Ct(B)?new Error("THREE.WebGLRenderer: Error creating WebGL context with your selected attributes."):new Error("THREE.WebGLRenderer: Error creating WebGL context.")}$t()}catch(w){throw e.removeEventListener("webglcontextlost",Ot,!1),e.removeEventListener("webglcontextrestored",Jt,!1),e.removeEventListener("webglcontextcreationerror",Rt,!1),Qt("WebGLRenderer: "+w.message),w}function $t(){Yt=new Gy(F),Yt.init(),gt=new wS(F,Yt),re=new Iy(F,Yt,t,gt),bt=new MS(F,Yt),re.reversedDepthBuffer&&h&&bt.buffers.depth.setReversed(!0),G=F.createFramebuffer(),L=F.createFramebuffer(),H=F.createFramebuffer(),Le=new Xy(F),kt=new lS,Xt=new bS(F,Yt,bt,kt,re,gt,Le),C=new Vy(N),S=new Y0(F),St=new Cy(F,S),X=new Hy(F,S,Le,St),ct=new Yy(F,X,S,St,Le),st=new qy(F,re,Xt),nt=new Ly(kt),rt=new oS(N,C,Yt,re,St,nt),_t=new RS(N,kt),yt=new hS,tt=new gS(Yt),U=new Ry(N,C,bt,ct,p,l),ft=new SS(N,ct,re),Gt=new CS(F,Le,re,bt),et=new Py(F,Yt,Le),wt=new Wy(F,Yt,Le),Le.programs=rt.programs,N.capabilities=re,N.extensions=Yt,N.properties=kt,N.renderLists=yt,N.shadowMap=ft,N.state=bt,N.info=Le}_!==Xn&&(O=new $y(_,e.width,e.height,o,s,r));let ot=new Cu(N,F);this.xr=ot,this.getContext=function(){return F},this.getContextAttributes=function(){return F.getContextAttributes()},this.forceContextLoss=function(){let w=Yt.get("WEBGL_lose_context");w&&w.loseContext()},this.forceContextRestore=function(){let w=Yt.get("WEBGL_lose_context");w&&w.restoreContext()},this.getPixelRatio=function(){return Mt},this.setPixelRatio=function(w){w!==void 0&&(Mt=w,this.setSize(xt,At,!1))},this.getSize=function(w){return w.set(xt,At)},this.setSize=function(w,B,K=!0){if(ot.isPresenting){qt("WebGLRenderer: Can't change size while VR device is presenting.");return}xt=w,At=B,e.width=Math.floor(w*Mt),e.height=Math.floor(B*Mt),K===!0&&(e.style.width=w+"px",e.style.height=B+"px"),O!==null&&O.setSize(e.width,e.height),this.setViewport(0,0,w,B)},this.getDrawingBufferSize=function(w){return w.set(xt*Mt,At*Mt).floor()},this.setDrawingBufferSize=function(w,B,K){xt=w,At=B,Mt=K,e.width=Math.floor(w*K),e.height=Math.floor(B*K),this.setViewport(0,0,w,B)},this.setEffects=function(w){if(_===Xn){Qt("WebGLRenderer: setEffects() requires outputBufferType set to HalfFloatType or FloatType.");return}if(w){for(let B=0;B<w.length;B++)if(w[B].isOutputPass===!0){qt("WebGLRenderer: OutputPass is not needed in setEffects(). Tone mapping and color space conversion are applied automatically.");break}}O.setEffects(w||[])},this.getCurrentViewport=function(w){return w.copy(it)},this.getViewport=function(w){return w.copy(Vt)},this.setViewport=function(w,B,K,q){w.isVector4?Vt.set(w.x,w.y,w.z,w.w):Vt.set(w,B,K,q),bt.viewport(it.copy(Vt).multiplyScalar(nn()).round())},this.getScissor=function(w){return w.copy(he)},this.setScissor=function(w,B,K,q){w.isVector4?he.set(w.x,w.y,w.z,w.w):he.set(w,B,K,q),bt.scissor(ut.copy(he).multiplyScalar(nn()).round())},this.getScissorTest=function(){return oe},this.setScissorTest=function(w){bt.setScissorTest(oe=w)},this.setOpaqueSort=function(w){Ht=w},this.setTransparentSort=function(w){se=w},this.getClearColor=function(w){return w.copy(U.getClearColor())},this.setClearColor=function(){U.setClearColor(...arguments)},this.getClearAlpha=function(){return U.getClearAlpha()},this.setClearAlpha=function(){U.setClearAlpha(...arguments)},this.clear=function(w=!0,B=!0,K=!0){let q=0;if(w){let Z=!1;if(lt!==null){let Et=lt.texture.format;Z=g.has(Et)}if(Z){let Et=lt.texture.type,Pt=m.has(Et),Tt=U.getClearColor(),It=U.getClearAlpha(),zt=Tt.r,jt=Tt.g,ue=Tt.b;Pt?(v[0]=zt,v[1]=jt,v[2]=ue,v[3]=It,F.clearBufferuiv(F.COLOR,0,v)):(A[0]=zt,A[1]=jt,A[2]=ue,A[3]=It,F.clearBufferiv(F.COLOR,0,A))}else q|=F.COLOR_BUFFER_BIT}B&&(q|=F.DEPTH_BUFFER_BIT,this.state.buffers.depth.setMask(!0)),K&&(q|=F.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),q!==0&&F.clear(q)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.setNodesHandler=function(w){w.setRenderer(this),z=w},this.dispose=function(){e.removeEventListener("webglcontextlost",Ot,!1),e.removeEventListener("webglcontextrestored",Jt,!1),e.removeEventListener("webglcontextcreationerror",Rt,!1),U.dispose(),yt.dispose(),tt.dispose(),Xt.dispose(),kt.dispose(),C.dispose(),ct.dispose(),X.dispose(),St.dispose(),Gt.dispose(),rt.dispose(),ot.dispose(),ot.removeEventListener("sessionstart",Ro),ot.removeEventListener("sessionend",Ri),Yi.stop()};function Ot(w){w.preventDefault(),uu("WebGLRenderer: Context Lost."),D=!0}function Jt(){uu("WebGLRenderer: Context Restored."),D=!1;let w=Le.autoReset,B=ft.enabled,K=ft.autoUpdate,q=ft.needsUpdate,Z=ft.type;$t(),Le.autoReset=w,ft.enabled=B,ft.autoUpdate=K,ft.needsUpdate=q,ft.type=Z}function Rt(w){Qt("WebGLRenderer: A WebGL context could not be created. Reason: ",w.statusMessage)}function ae(w){let B=w.target;B.removeEventListener("dispose",ae),Fe(B)}function Fe(w){Nn(w),kt.remove(w)}function Nn(w){let B=kt.get(w).programs;B!==void 0&&(B.forEach(function(K){rt.releaseProgram(K)}),w.isShaderMaterial&&rt.releaseShaderCache(w))}this.renderBufferDirect=function(w,B,K,q,Z,Et){B===null&&(B=hn);let Pt=Z.isMesh&&Z.matrixWorld.determinantAffine()<0,Tt=_a(w,B,K,q,Z);bt.setMaterial(q,Pt);let It=K.index,zt=1;if(q.wireframe===!0){if(It=X.getWireframeAttribute(K),It===void 0)return;zt=2}let jt=K.drawRange,ue=K.attributes.position,Bt=jt.start*zt,de=(jt.start+jt.count)*zt;Et!==null&&(Bt=Math.max(Bt,Et.start*zt),de=Math.min(de,(Et.start+Et.count)*zt)),It!==null?(Bt=Math.max(Bt,0),de=Math.min(de,It.count)):ue!=null&&(Bt=Math.max(Bt,0),de=Math.min(de,ue.count));let Xe=de-Bt;if(Xe<0||Xe===1/0)return;St.setup(Z,q,Tt,K,It);let Ae,Re=et;if(It!==null&&(Ae=S.get(It),Re=wt,Re.setIndex(Ae)),Z.isMesh)q.wireframe===!0?(bt.setLineWidth(q.wireframeLinewidth*nn()),Re.setMode(F.LINES)):Re.setMode(F.TRIANGLES);else if(Z.isLine){let un=q.linewidth;un===void 0&&(un=1),bt.setLineWidth(un*nn()),Z.isLineSegments?Re.setMode(F.LINES):Z.isLineLoop?Re.setMode(F.LINE_LOOP):Re.setMode(F.LINE_STRIP)}else Z.isPoints?Re.setMode(F.POINTS):Z.isSprite&&Re.setMode(F.TRIANGLES);if(Z.isBatchedMesh)if(Yt.get("WEBGL_multi_draw"))Re.renderMultiDraw(Z._multiDrawStarts,Z._multiDrawCounts,Z._multiDrawCount);else{let un=Z._multiDrawStarts,Ut=Z._multiDrawCounts,sn=Z._multiDrawCount,me=It?S.get(It).bytesPerElement:1,$i=kt.get(q).currentProgram.getUniforms();for(let rn=0;rn<sn;rn++)$i.setValue(F,"_gl_DrawID",rn),Re.render(un[rn]/me,Ut[rn])}else if(Z.isInstancedMesh)Re.renderInstances(Bt,Xe,Z.count);else if(K.isInstancedBufferGeometry){let un=K._maxInstanceCount!==void 0?K._maxInstanceCount:1/0,Ut=Math.min(K.instanceCount,un);Re.renderInstances(Bt,Xe,Ut)}else Re.render(Bt,Xe)};function pa(w,B,K,q){z!==null&&w.isNodeMaterial&&z.setObject(q,w),Ue===!0&&nt.setState(w,K,!1),w.transparent===!0&&w.side===ii&&w.forceSinglePass===!1?(w.side=Hn,w.needsUpdate=!0,Ci(w,B,q),w.side=Us,w.needsUpdate=!0,Ci(w,B,q),w.side=ii):Ci(w,B,q)}this.compile=function(w,B,K=null){K===null&&(K=w),z!==null&&z.renderStart(w,B,K),T=tt.get(K),T.init(B),E.push(T),K.traverseVisible(function(Z){Z.isLight&&Z.layers.test(B.layers)&&(T.pushLight(Z),Z.castShadow&&T.pushShadow(Z))}),w!==K&&w.traverseVisible(function(Z){Z.isLight&&Z.layers.test(B.layers)&&(T.pushLight(Z),Z.castShadow&&T.pushShadow(Z))}),T.setupLights(),z!==null&&z.updateLights(T.state.lightsArray),en=this.localClippingEnabled,Ue=nt.init(this.clippingPlanes,en),Ue===!0&&nt.setGlobalState(this.clippingPlanes,B),z!==null&&ft.render(T.state.shadowsArray,K,B);let q=new Set;return w.traverse(function(Z){if(!(Z.isMesh||Z.isPoints||Z.isLine||Z.isSprite))return;let Et=Z.material;if(Et)if(Array.isArray(Et))for(let Pt=0;Pt<Et.length;Pt++){let Tt=Et[Pt];pa(Tt,K,B,Z),q.add(Tt)}else pa(Et,K,B,Z),q.add(Et)}),T=E.pop(),z!==null&&z.renderEnd(),q},this.compileAsync=function(w,B,K=null){let q=this.compile(w,B,K);return new Promise(Z=>{function Et(){if(q.forEach(function(Pt){let It=kt.get(Pt).currentProgram;(It===void 0||It.isReady())&&q.delete(Pt)}),q.size===0){Z(w);return}setTimeout(Et,10)}Yt.get("KHR_parallel_shader_compile")!==null?Et():setTimeout(Et,10)})};let cr=null;function Qc(w){cr&&cr(w)}function Ro(){Yi.stop()}function Ri(){Yi.start()}let Yi=new Ap;Yi.setAnimationLoop(Qc),typeof self<"u"&&Yi.setContext(self),this.setAnimationLoop=function(w){cr=w,ot.setAnimationLoop(w),w===null?Yi.stop():Yi.start()},ot.addEventListener("sessionstart",Ro),ot.addEventListener("sessionend",Ri),this.render=function(w,B){if(B!==void 0&&B.isCamera!==!0){Qt("WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(D===!0)return;z!==null&&z.renderStart(w,B);let K=ot.enabled===!0&&ot.isPresenting===!0,q=O!==null&&(lt===null||K)&&O.begin(N,lt);if(w.matrixWorldAutoUpdate===!0&&w.updateMatrixWorld(),B.parent===null&&B.matrixWorldAutoUpdate===!0&&B.updateMatrixWorld(),ot.enabled===!0&&ot.isPresenting===!0&&(O===null||O.isCompositing()===!1)&&(ot.cameraAutoUpdate===!0&&ot.updateCamera(B),B=ot.getCamera()),w.isScene===!0&&w.onBeforeRender(N,w,B,lt),T=tt.get(w,E.length),T.init(B),T.state.textureUnits=Xt.getTextureUnits(),E.push(T),Pe.multiplyMatrices(B.projectionMatrix,B.matrixWorldInverse),B.isArrayCamera?Ge.setFromArrayCamera(B):ne.setFromProjectionMatrix(Pe,hi,B.reversedDepth),en=this.localClippingEnabled,Ue=nt.init(this.clippingPlanes,en),R=yt.get(w,x.length),R.init(),x.push(R),this.info.render.frame++,ot.enabled===!0&&ot.isPresenting===!0){let Pt=N.xr.getDepthSensingMesh();Pt!==null&&Zi(Pt,B,-1/0,N.sortObjects)}Zi(w,B,0,N.sortObjects),R.finish(),z!==null&&z.updateLights(T.state.lightsArray),N.sortObjects===!0&&R.sort(Ht,se),Ye=ot.enabled===!1||ot.isPresenting===!1||ot.hasDepthSensing()===!1,Ye&&U.addToRenderList(R,w),this.info.autoReset===!0&&this.info.reset(),Ue===!0&&nt.beginShadows();let Z=T.state.shadowsArray;if(ft.render(Z,w,B),Ue===!0&&nt.endShadows(),(q&&O.hasRenderPass())===!1){let Pt=R.opaque,Tt=R.transmissive;if(T.setupLights(),B.isArrayCamera){let It=B.cameras;if(Tt.length>0)for(let zt=0,jt=It.length;zt<jt;zt++){let ue=It[zt];pi(Pt,Tt,w,ue)}Ye&&U.render(w);for(let zt=0,jt=It.length;zt<jt;zt++){let ue=It[zt];ma(R,w,ue,ue.viewport)}}else Tt.length>0&&pi(Pt,Tt,w,B),Ye&&U.render(w),ma(R,w,B)}lt!==null&&V===0&&(Xt.updateMultisampleRenderTarget(lt),Xt.updateRenderTargetMipmap(lt)),q&&O.end(N),w.isScene===!0&&w.onAfterRender(N,w,B),St.resetDefaultState(),J=-1,j=null,E.pop(),E.length>0?(T=E[E.length-1],Xt.setTextureUnits(T.state.textureUnits),Ue===!0&&nt.setGlobalState(N.clippingPlanes,T.state.camera)):T=null,x.pop(),x.length>0?R=x[x.length-1]:R=null,z!==null&&z.renderEnd()};function Zi(w,B,K,q){if(w.visible===!1)return;if(w.layers.test(B.layers)){if(w.isGroup)K=w.renderOrder;else if(w.isLOD)w.autoUpdate===!0&&w.update(B);else if(w.isLight)T.pushLight(w),w.castShadow&&T.pushShadow(w);else if(w.isSprite){let Pt=B.isArrayCamera?Ge:ne;if(!w.frustumCulled||w.intersectsFrustum(Pt)){q&&xe.setFromMatrixPosition(w.matrixWorld).applyMatrix4(Pe);let Tt=ct.update(w),It=w.material;It.visible&&R.push(w,Tt,It,K,xe.z,null,B)}}else if(w.isMesh||w.isLine||w.isPoints){let Pt=B.isArrayCamera?Ge:ne;if(!w.frustumCulled||w.intersectsFrustum(Pt)){let Tt=ct.update(w),It=w.material;if(q&&(w.boundingSphere!==void 0?(w.boundingSphere===null&&w.computeBoundingSphere(),xe.copy(w.boundingSphere.center)):(Tt.boundingSphere===null&&Tt.computeBoundingSphere(),xe.copy(Tt.boundingSphere.center)),xe.applyMatrix4(w.matrixWorld).applyMatrix4(Pe)),Array.isArray(It)){let zt=Tt.groups;for(let jt=0,ue=zt.length;jt<ue;jt++){let Bt=zt[jt],de=It[Bt.materialIndex];de&&de.visible&&R.push(w,Tt,de,K,xe.z,Bt,B)}}else It.visible&&R.push(w,Tt,It,K,xe.z,null,B)}}}let Et=w.children;for(let Pt=0,Tt=Et.length;Pt<Tt;Pt++)Zi(Et[Pt],B,K,q)}function ma(w,B,K,q){let{opaque:Z,transmissive:Et,transparent:Pt}=w;T.setupLightsView(K),Ue===!0&&nt.setGlobalState(N.clippingPlanes,K),q&&bt.viewport(it.copy(q)),Z.length>0&&Ze(Z,B,K),Et.length>0&&Ze(Et,B,K),Pt.length>0&&Ze(Pt,B,K),bt.buffers.depth.setTest(!0),bt.buffers.depth.setMask(!0),bt.buffers.color.setMask(!0),bt.setPolygonOffset(!1)}function pi(w,B,K,q){if((K.isScene===!0?K.overrideMaterial:null)!==null)return;if(T.state.transmissionRenderTarget[q.id]===void 0){let Bt=Yt.has("EXT_color_buffer_half_float")||Yt.has("EXT_color_buffer_float");T.state.transmissionRenderTarget[q.id]=new ei(1,1,{generateMipmaps:!0,type:Bt?Mi:Xn,minFilter:os,samples:Math.max(4,re.samples),stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,colorSpace:ge.workingColorSpace})}let Et=T.state.transmissionRenderTarget[q.id],Pt=q.viewport||it;Et.setSize(Pt.z*N.transmissionResolutionScale,Pt.w*N.transmissionResolutionScale);let Tt=N.getRenderTarget(),It=N.getActiveCubeFace(),zt=N.getActiveMipmapLevel();N.setRenderTarget(Et),N.getClearColor(Q),mt=N.getClearAlpha(),mt<1&&N.setClearColor(16777215,.5),N.clear(),Ye&&U.render(K);let jt=N.toneMapping;N.toneMapping=Gi;let ue=q.viewport;if(q.viewport!==void 0&&(q.viewport=void 0),T.setupLightsView(q),Ue===!0&&nt.setGlobalState(N.clippingPlanes,q),Ze(w,K,q),Xt.updateMultisampleRenderTarget(Et),Xt.updateRenderTargetMipmap(Et),Yt.has("WEBGL_multisampled_render_to_texture")===!1){let Bt=!1;for(let de=0,Xe=B.length;de<Xe;de++){let Ae=B[de],{object:Re,geometry:un,material:Ut,group:sn}=Ae;if(Ut.side===ii&&Re.layers.test(q.layers)){let me=Ut.side;Ut.side=Hn,Ut.needsUpdate=!0,Qe(Re,K,q,un,Ut,sn),Ut.side=me,Ut.needsUpdate=!0,Bt=!0}}Bt===!0&&(Xt.updateMultisampleRenderTarget(Et),Xt.updateRenderTargetMipmap(Et))}N.setRenderTarget(Tt,It,zt),N.setClearColor(Q,mt),ue!==void 0&&(q.viewport=ue),N.toneMapping=jt}function Ze(w,B,K){let q=B.isScene===!0?B.overrideMaterial:null;for(let Z=0,Et=w.length;Z<Et;Z++){let Pt=w[Z],{object:Tt,geometry:It,group:zt}=Pt,jt=Pt.material;jt.allowOverride===!0&&q!==null&&(jt=q),Tt.layers.test(K.layers)&&Qe(Tt,B,K,It,jt,zt)}}function Qe(w,B,K,q,Z,Et){z!==null&&Z.isNodeMaterial&&z.setObject(w,Z),w.onBeforeRender(N,B,K,q,Z,Et),w.modelViewMatrix.multiplyMatrices(K.matrixWorldInverse,w.matrixWorld),w.normalMatrix.getNormalMatrix(w.modelViewMatrix),Z.onBeforeRender(N,B,K,q,w,Et),Z.transparent===!0&&Z.side===ii&&Z.forceSinglePass===!1?(Z.side=Hn,Z.needsUpdate=!0,N.renderBufferDirect(K,B,q,Z,w,Et),Z.side=Us,Z.needsUpdate=!0,N.renderBufferDirect(K,B,q,Z,w,Et),Z.side=ii):N.renderBufferDirect(K,B,q,Z,w,Et),w.onAfterRender(N,B,K,q,Z,Et)}function tn(w){let B=0;for(let K of w)K.texture!==null&&B++;return B}function Ci(w,B,K){B.isScene!==!0&&(B=hn);let q=kt.get(w),Z=T.state.lights,Et=T.state.shadowsArray,Pt=Z.state.version,Tt=rt.getParameters(w,Z.state,Et,B,K,T.state.lightProbeGridArray),It=rt.getProgramCacheKey(Tt),zt=q.programs;q.environment=w.isMeshStandardMaterial||w.isMeshLambertMaterial||w.isMeshPhongMaterial?B.environment:null,q.fog=B.fog;let jt=w.isMeshStandardMaterial||w.isMeshLambertMaterial&&!w.envMap||w.isMeshPhongMaterial&&!w.envMap;q.envMap=C.get(w.envMap||q.environment,jt),q.envMapRotation=q.environment!==null&&w.envMap===null?B.environmentRotation:w.envMapRotation,zt===void 0&&(w.addEventListener("dispose",ae),zt=new Map,q.programs=zt,q.programVariants=new Map);let ue=zt.get(It);if(ue!==void 0){if(q.currentProgram===ue&&q.lightsStateVersion===Pt)return ga(w,Tt),ue}else Tt.uniforms=rt.getUniforms(w),z!==null&&w.isNodeMaterial&&z.build(w,K,Tt),w.onBeforeCompile(Tt,N),ue=rt.acquireProgram(Tt,It),zt.set(It,ue),q.uniforms=Tt.uniforms;let Bt=q.uniforms;return(!w.isShaderMaterial&&!w.isRawShaderMaterial||w.clipping===!0)&&(Bt.clippingPlanes=nt.uniform),ga(w,Tt),q.needsLights=ps(w),q.lightsStateVersion=Pt,q.needsLights&&(Bt.ambientLightColor.value=Z.state.ambient,Bt.lightProbe.value=Z.state.probe,Bt.sunLights.value=Z.state.sun,Bt.sunLightShadows.value=Z.state.sunShadow,Bt.directionalLights.value=Z.state.directional,Bt.directionalLightShadows.value=Z.state.directionalShadow,Bt.spotLights.value=Z.state.spot,Bt.spotLightShadows.value=Z.state.spotShadow,Bt.rectAreaLights.value=Z.state.rectArea,Bt.ltc_1.value=Z.state.rectAreaLTC1,Bt.ltc_2.value=Z.state.rectAreaLTC2,Bt.pointLights.value=Z.state.point,Bt.pointLightShadows.value=Z.state.pointShadow,Bt.hemisphereLights.value=Z.state.hemi,Bt.sunShadowMatrix.value=Z.state.sunShadowMatrix,Bt.sunShadowCascade.value=Z.state.sunShadowCascade,Bt.directionalShadowMatrix.value=Z.state.directionalShadowMatrix,Bt.spotLightMatrix.value=Z.state.spotLightMatrix,Bt.spotLightMap.value=Z.state.spotLightMap,Bt.pointShadowMatrix.value=Z.state.pointShadowMatrix),q.numLightProbeGrids=tn(T.state.lightProbeGridArray),q.currentProgram=ue,q.uniformsList=null,ue}function Yn(w,B,K,q,Z){let Et=kt.get(w),Pt=Et.currentProgram.id+","+q+","+Z,Tt=Et.programVariants.get(Pt);return Tt===void 0?(Tt=Ci(w,B,K),Et.programVariants.set(Pt,Tt)):(Et.currentProgram=Tt,Et.uniformsList=null,Et.outputColorSpace=q,Et.toneMapping=Z),Tt}function fs(w){if(w.uniformsList===null){let B=w.currentProgram.getUniforms();w.uniformsList=ta.seqWithValue(B.seq,w.uniforms)}return w.uniformsList}function ga(w,B){let K=kt.get(w);K.outputColorSpace=B.outputColorSpace,K.batching=B.batching,K.batchingColor=B.batchingColor,K.instancing=B.instancing,K.instancingColor=B.instancingColor,K.instancingMorph=B.instancingMorph,K.skinning=B.skinning,K.morphTargets=B.morphTargets,K.morphNormals=B.morphNormals,K.morphColors=B.morphColors,K.morphTargetsCount=B.morphTargetsCount,K.numClippingPlanes=B.numClippingPlanes,K.numIntersection=B.numClipIntersection,K.vertexAlphas=B.vertexAlphas,K.vertexTangents=B.vertexTangents,K.toneMapping=B.toneMapping}function _a(w,B,K,q,Z){B.isScene!==!0&&(B=hn),Xt.resetTextureUnits();let Et=B.fog,Pt=q.isMeshStandardMaterial||q.isMeshLambertMaterial||q.isMeshPhongMaterial?B.environment:null,Tt=lt===null?N.outputColorSpace:lt.isXRRenderTarget===!0?lt.texture.colorSpace:ge.workingColorSpace,It=q.isMeshStandardMaterial||q.isMeshLambertMaterial&&!q.envMap||q.isMeshPhongMaterial&&!q.envMap,zt=C.get(q.envMap||Pt,It),jt=q.vertexColors===!0&&!!K.attributes.color&&K.attributes.color.itemSize===4,ue=!!K.attributes.tangent&&(!!q.normalMap||q.anisotropy>0),Bt=!!K.morphAttributes.position,de=!!K.morphAttributes.normal,Xe=!!K.morphAttributes.color,Ae=Gi;q.toneMapped&&(lt===null||lt.isXRRenderTarget===!0)&&(Ae=N.toneMapping);let Re=K.morphAttributes.position||K.morphAttributes.normal||K.morphAttributes.color,un=Re!==void 0?Re.length:0,Ut=kt.get(q),sn=T.state.lights;if(Ue===!0&&(en===!0||w!==j)){let Ce=w===j&&q.id===J;nt.setState(q,w,Ce)}let me=!1,$i=!1;q.version===Ut.__version?Ut.needsLights&&Ut.lightsStateVersion!==sn.state.version||Z.isBatchedMesh&&Ut.batching===!1||!Z.isBatchedMesh&&Ut.batching===!0||Z.isBatchedMesh&&Ut.batchingColor===!0&&Z._colorsTexture===null||Z.isBatchedMesh&&Ut.batchingColor===!1&&Z._colorsTexture!==null||Z.isInstancedMesh&&Ut.instancing===!1||!Z.isInstancedMesh&&Ut.instancing===!0||Z.isSkinnedMesh&&Ut.skinning===!1||!Z.isSkinnedMesh&&Ut.skinning===!0||Z.isInstancedMesh&&Ut.instancingColor===!0&&Z.instanceColor===null||Z.isInstancedMesh&&Ut.instancingColor===!1&&Z.instanceColor!==null||Z.isInstancedMesh&&Ut.instancingMorph===!0&&Z.morphTexture===null||Z.isInstancedMesh&&Ut.instancingMorph===!1&&Z.morphTexture!==null||Ut.envMap!==zt||q.fog===!0&&Ut.fog!==Et||Ut.numClippingPlanes!==void 0&&(Ut.numClippingPlanes!==nt.numPlanes||Ut.numIntersection!==nt.numIntersection)||Ut.vertexAlphas!==jt||Ut.vertexTangents!==ue||Ut.morphTargets!==Bt||Ut.morphNormals!==de||Ut.morphColors!==Xe||Ut.morphTargetsCount!==un||Ut.numLightProbeGrids!==tn(T.state.lightProbeGridArray)?me=!0:(Ut.outputColorSpace!==Tt||Ut.toneMapping!==Ae)&&($i=!0):(me=!0,Ut.__version=q.version);let rn=Ut.currentProgram;(me===!0||$i===!0)&&(rn=$i===!0?Yn(q,B,Z,Tt,Ae):Ci(q,B,Z),z&&q.isNodeMaterial&&z.onUpdateProgram(q,rn,Ut));let dr=!1,Pi=!1,Ji=!1,le=rn.getUniforms(),$e=Ut.uniforms;if(bt.useProgram(rn.program)&&(dr=!0,Pi=!0,Ji=!0),q.id!==J&&(J=q.id,Pi=!0),dr||j!==w){bt.buffers.depth.getReversed()&&w.reversedDepth!==!0&&(w._reversedDepth=!0,w.updateProjectionMatrix()),le.setValue(F,"projectionMatrix",w.projectionMatrix),le.setValue(F,"viewMatrix",w.matrixWorldInverse);let an=le.map.cameraPosition;an!==void 0&&an.setValue(F,xn.setFromMatrixPosition(w.matrixWorld)),re.logarithmicDepthBuffer&&le.setValue(F,"logDepthBufFC",2/(Math.log(w.far+1)/Math.LN2)),(q.isMeshPhongMaterial||q.isMeshToonMaterial||q.isMeshLambertMaterial||q.isMeshBasicMaterial||q.isMeshStandardMaterial||q.isShaderMaterial)&&le.setValue(F,"isOrthographic",w.isOrthographicCamera===!0),j!==w&&(j=w,Pi=!0,Ji=!0)}if(Ut.needsLights&&(sn.state.sunShadowMap.length>0&&le.setValue(F,"sunShadowMap",sn.state.sunShadowMap,Xt),sn.state.directionalShadowMap.length>0&&le.setValue(F,"directionalShadowMap",sn.state.directionalShadowMap,Xt),sn.state.spotShadowMap.length>0&&le.setValue(F,"spotShadowMap",sn.state.spotShadowMap,Xt),sn.state.pointShadowMap.length>0&&le.setValue(F,"pointShadowMap",sn.state.pointShadowMap,Xt)),Z.isSkinnedMesh){le.setOptional(F,Z,"bindMatrix"),le.setOptional(F,Z,"bindMatrixInverse");let Ce=Z.skeleton;Ce&&(Ce.boneTexture===null&&Ce.computeBoneTexture(),le.setValue(F,"boneTexture",Ce.boneTexture,Xt))}Z.isBatchedMesh&&(le.setOptional(F,Z,"batchingTexture"),le.setValue(F,"batchingTexture",Z._matricesTexture,Xt),le.setOptional(F,Z,"batchingIdTexture"),le.setValue(F,"batchingIdTexture",Z._indirectTexture,Xt),le.setOptional(F,Z,"batchingColorTexture"),Z._colorsTexture!==null&&le.setValue(F,"batchingColorTexture",Z._colorsTexture,Xt));let Un=K.morphAttributes;if((Un.position!==void 0||Un.normal!==void 0||Un.color!==void 0)&&st.update(Z,K,rn),(Pi||Ut.receiveShadow!==Z.receiveShadow)&&(Ut.receiveShadow=Z.receiveShadow,le.setValue(F,"receiveShadow",Z.receiveShadow)),(q.isMeshStandardMaterial||q.isMeshLambertMaterial||q.isMeshPhongMaterial)&&q.envMap===null&&B.environment!==null&&($e.envMapIntensity.value=B.environmentIntensity),$e.dfgLUT!==void 0&&($e.dfgLUT.value=IS()),Pi){if(le.setValue(F,"toneMappingExposure",N.toneMappingExposure),Ut.needsLights&&hr($e,Ji),Et&&q.fog===!0&&_t.refreshFogUniforms($e,Et),_t.refreshMaterialUniforms($e,q,Mt,At,T.state.transmissionRenderTarget[w.id]),Ut.needsLights&&Ut.numLightProbeGrids>0){let Ce=M,an=0;for(let Pn of T.state.lightProbeGridArray)Pn.texture!==null&&(Ce.textures[an]=Pn.texture,Ce.min[an]=Pn.boundingBox.min,Ce.max[an]=Pn.boundingBox.max,Ce.resolution[an]=Pn.resolution,an++);for(let Pn in Ce)Ce[Pn].length=an;$e.probesSH.value=Ce.textures,$e.probesMin.value=Ce.min,$e.probesMax.value=Ce.max,$e.probesResolution.value=Ce.resolution}ta.upload(F,fs(Ut),$e,Xt)}if(q.isShaderMaterial&&q.uniformsNeedUpdate===!0&&(ta.upload(F,fs(Ut),$e,Xt),q.uniformsNeedUpdate=!1),q.isSpriteMaterial&&le.setValue(F,"center",Z.center),le.setValue(F,"modelViewMatrix",Z.modelViewMatrix),le.setValue(F,"normalMatrix",Z.normalMatrix),le.setValue(F,"modelMatrix",Z.matrixWorld),q.uniformsGroups!==void 0){let Ce=q.uniformsGroups;for(let an=0,Pn=Ce.length;an<Pn;an++){let Co=Ce[an];Gt.update(Co,rn),Gt.bind(Co,rn)}}return rn}function hr(w,B){w.ambientLightColor.needsUpdate=B,w.lightProbe.needsUpdate=B,w.sunLights.needsUpdate=B,w.sunLightShadows.needsUpdate=B,w.directionalLights.needsUpdate=B,w.directionalLightShadows.needsUpdate=B,w.pointLights.needsUpdate=B,w.pointLightShadows.needsUpdate=B,w.spotLights.needsUpdate=B,w.spotLightShadows.needsUpdate=B,w.rectAreaLights.needsUpdate=B,w.hemisphereLights.needsUpdate=B}function ps(w){return w.isMeshLambertMaterial||w.isMeshToonMaterial||w.isMeshPhongMaterial||w.isMeshStandardMaterial||w.isShadowMaterial||w.isShaderMaterial&&w.lights===!0}this.getActiveCubeFace=function(){return Y},this.getActiveMipmapLevel=function(){return V},this.getRenderTarget=function(){return lt},this.setRenderTargetTextures=function(w,B,K){let q=kt.get(w);q.__autoAllocateDepthBuffer=w.resolveDepthBuffer===!1,q.__autoAllocateDepthBuffer===!1&&(q.__useRenderToTexture=!1),kt.get(w.texture).__webglTexture=B,kt.get(w.depthTexture).__webglTexture=q.__autoAllocateDepthBuffer?void 0:K,q.__hasExternalTextures=!0},this.setRenderTargetFramebuffer=function(w,B){let K=kt.get(w);K.__webglFramebuffer=B,K.__useDefaultFramebuffer=B===void 0},this.setRenderTarget=function(w,B=0,K=0){lt=w,Y=B,V=K;let q=null,Z=!1,Et=!1;if(w){let Tt=kt.get(w);if(Tt.__useDefaultFramebuffer!==void 0){bt.bindFramebuffer(F.FRAMEBUFFER,Tt.__webglFramebuffer),it.copy(w.viewport),ut.copy(w.scissor),ht=w.scissorTest,bt.viewport(it),bt.scissor(ut),bt.setScissorTest(ht),J=-1;return}else if(Tt.__webglFramebuffer===void 0)Xt.setupRenderTarget(w);else if(Tt.__hasExternalTextures)Xt.rebindTextures(w,kt.get(w.texture).__webglTexture,kt.get(w.depthTexture).__webglTexture);else if(w.depthBuffer){let jt=w.depthTexture;if(Tt.__boundDepthTexture!==jt){if(jt!==null&&kt.has(jt)&&(w.width!==jt.image.width||w.height!==jt.image.height))throw new Error("THREE.WebGLRenderer: Attached DepthTexture is initialized to the incorrect size.");Xt.setupDepthRenderbuffer(w)}}let It=w.texture;(It.isData3DTexture||It.isDataArrayTexture||It.isCompressedArrayTexture)&&(Et=!0);let zt=kt.get(w).__webglFramebuffer;w.isWebGLCubeRenderTarget?(Array.isArray(zt[B])?q=zt[B][K]:q=zt[B],Z=!0):w.samples>0&&Xt.useMultisampledRTT(w)===!1?q=kt.get(w).__webglMultisampledFramebuffer:Array.isArray(zt)?q=zt[K]:q=zt,it.copy(w.viewport),ut.copy(w.scissor),ht=w.scissorTest}else it.copy(Vt).multiplyScalar(Mt).floor(),ut.copy(he).multiplyScalar(Mt).floor(),ht=oe;if(K!==0&&(q=G),bt.bindFramebuffer(F.FRAMEBUFFER,q)&&bt.drawBuffers(w,q),bt.viewport(it),bt.scissor(ut),bt.setScissorTest(ht),Z){let Tt=kt.get(w.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_CUBE_MAP_POSITIVE_X+B,Tt.__webglTexture,K)}else if(Et){let Tt=B;for(let It=0;It<w.textures.length;It++){let zt=kt.get(w.textures[It]);F.framebufferTextureLayer(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0+It,zt.__webglTexture,K,Tt)}}else if(w!==null&&K!==0){let Tt=kt.get(w.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,Tt.__webglTexture,K)}J=-1};function ur(w){let B=kt.get(w);return(B.__readFormat!==w.format||B.__readType!==w.type)&&(B.__readFormat=w.format,B.__readType=w.type,B.__formatReadable=re.textureFormatReadable(w.format),B.__typeReadable=re.textureTypeReadable(w.type)),B}this.readRenderTargetPixels=function(w,B,K,q,Z,Et,Pt,Tt=0){if(!(w&&w.isWebGLRenderTarget)){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let It=kt.get(w).__webglFramebuffer;if(w.isWebGLCubeRenderTarget&&Pt!==void 0&&(It=It[Pt],Array.isArray(It)&&(It=It[0])),It){bt.bindFramebuffer(F.FRAMEBUFFER,It);try{let zt=w.textures[Tt],jt=zt.format,ue=zt.type;w.textures.length>1&&F.readBuffer(F.COLOR_ATTACHMENT0+Tt);let Bt=ur(zt);if(Bt.__formatReadable===!1){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(Bt.__typeReadable===!1){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}B>=0&&B<=w.width-q&&K>=0&&K<=w.height-Z&&F.readPixels(B,K,q,Z,gt.convert(jt),gt.convert(ue),Et)}finally{let zt=lt!==null?kt.get(lt).__webglFramebuffer:null;bt.bindFramebuffer(F.FRAMEBUFFER,zt)}}},this.readRenderTargetPixelsAsync=async function(w,B,K,q,Z,Et,Pt,Tt=0){if(!(w&&w.isWebGLRenderTarget))throw new Error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");let It=kt.get(w).__webglFramebuffer;if(w.isWebGLCubeRenderTarget&&Pt!==void 0&&(It=It[Pt],Array.isArray(It)&&(It=It[0])),It)if(B>=0&&B<=w.width-q&&K>=0&&K<=w.height-Z){bt.bindFramebuffer(F.FRAMEBUFFER,It);let zt=w.textures[Tt],jt=zt.format,ue=zt.type;w.textures.length>1&&F.readBuffer(F.COLOR_ATTACHMENT0+Tt);let Bt=ur(zt);if(Bt.__formatReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in RGBA or implementation defined format.");if(Bt.__typeReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in UnsignedByteType or implementation defined type.");let de=F.createBuffer();F.bindBuffer(F.PIXEL_PACK_BUFFER,de),F.bufferData(F.PIXEL_PACK_BUFFER,Et.byteLength,F.STREAM_READ),F.readPixels(B,K,q,Z,gt.convert(jt),gt.convert(ue),0),F.bindBuffer(F.PIXEL_PACK_BUFFER,null);let Xe=lt!==null?kt.get(lt).__webglFramebuffer:null;bt.bindFramebuffer(F.FRAMEBUFFER,Xe);let Ae=F.fenceSync(F.SYNC_GPU_COMMANDS_COMPLETE,0);return F.flush(),await jf(F,Ae,4),F.bindBuffer(F.PIXEL_PACK_BUFFER,de),F.getBufferSubData(F.PIXEL_PACK_BUFFER,0,Et),F.bindBuffer(F.PIXEL_PACK_BUFFER,null),F.deleteBuffer(de),F.deleteSync(Ae),Et}else throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: requested read bounds are out of range.")},this.copyFramebufferToTexture=function(w,B=null,K=0){let q=Math.pow(2,-K),Z=Math.floor(w.image.width*q),Et=Math.floor(w.image.height*q),Pt=B!==null?B.x:0,Tt=B!==null?B.y:0;Xt.setTexture2D(w,0),F.copyTexSubImage2D(F.TEXTURE_2D,K,0,0,Pt,Tt,Z,Et),bt.unbindTexture()},this.copyTextureToTexture=function(w,B,K=null,q=null,Z=0,Et=0){let Pt,Tt,It,zt,jt,ue,Bt,de,Xe,Ae=w.isCompressedTexture?w.mipmaps[Et]:w.image;if(K!==null)Pt=K.max.x-K.min.x,Tt=K.max.y-K.min.y,It=K.isBox3?K.max.z-K.min.z:1,zt=K.min.x,jt=K.min.y,ue=K.isBox3?K.min.z:0;else{let le=Math.pow(2,-Z);Pt=Math.floor(Ae.width*le),Tt=Math.floor(Ae.height*le),w.isDataArrayTexture?It=Ae.depth:w.isData3DTexture?It=Math.floor(Ae.depth*le):It=1,zt=0,jt=0,ue=0}q!==null?(Bt=q.x,de=q.y,Xe=q.z):(Bt=0,de=0,Xe=0);let Re=gt.convert(B.format),un=gt.convert(B.type),Ut;B.isData3DTexture?(Xt.setTexture3D(B,0),Ut=F.TEXTURE_3D):B.isDataArrayTexture||B.isCompressedArrayTexture?(Xt.setTexture2DArray(B,0),Ut=F.TEXTURE_2D_ARRAY):(Xt.setTexture2D(B,0),Ut=F.TEXTURE_2D),bt.activeTexture(F.TEXTURE0),bt.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,B.flipY),bt.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,B.premultiplyAlpha),bt.pixelStorei(F.UNPACK_ALIGNMENT,B.unpackAlignment);let sn=bt.getParameter(F.UNPACK_ROW_LENGTH),me=bt.getParameter(F.UNPACK_IMAGE_HEIGHT),$i=bt.getParameter(F.UNPACK_SKIP_PIXELS),rn=bt.getParameter(F.UNPACK_SKIP_ROWS),dr=bt.getParameter(F.UNPACK_SKIP_IMAGES);bt.pixelStorei(F.UNPACK_ROW_LENGTH,Ae.width),bt.pixelStorei(F.UNPACK_IMAGE_HEIGHT,Ae.height),bt.pixelStorei(F.UNPACK_SKIP_PIXELS,zt),bt.pixelStorei(F.UNPACK_SKIP_ROWS,jt),bt.pixelStorei(F.UNPACK_SKIP_IMAGES,ue);let Pi=w.isDataArrayTexture||w.isData3DTexture,Ji=B.isDataArrayTexture||B.isData3DTexture;if(w.isDepthTexture){let le=kt.get(w),$e=kt.get(B),Un=kt.get(le.__renderTarget),Ce=kt.get($e.__renderTarget);bt.bindFramebuffer(F.READ_FRAMEBUFFER,Un.__webglFramebuffer),bt.bindFramebuffer(F.DRAW_FRAMEBUFFER,Ce.__webglFramebuffer);for(let an=0;an<It;an++)Pi&&(F.framebufferTextureLayer(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,kt.get(w).__webglTexture,Z,ue+an),F.framebufferTextureLayer(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,kt.get(B).__webglTexture,Et,Xe+an)),F.blitFramebuffer(zt,jt,zt+Pt,jt+Tt,Bt,de,Bt+Pt,de+Tt,F.DEPTH_BUFFER_BIT,F.NEAREST);bt.bindFramebuffer(F.READ_FRAMEBUFFER,null),bt.bindFramebuffer(F.DRAW_FRAMEBUFFER,null)}else if(Z!==0||w.isRenderTargetTexture||kt.has(w)){let le=kt.get(w),$e=kt.get(B);bt.bindFramebuffer(F.READ_FRAMEBUFFER,L),bt.bindFramebuffer(F.DRAW_FRAMEBUFFER,H);for(let Un=0;Un<It;Un++)Pi?F.framebufferTextureLayer(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,le.__webglTexture,Z,ue+Un):F.framebufferTexture2D(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,le.__webglTexture,Z),Ji?F.framebufferTextureLayer(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,$e.__webglTexture,Et,Xe+Un):F.framebufferTexture2D(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,$e.__webglTexture,Et),Z!==0?F.blitFramebuffer(zt,jt,zt+Pt,jt+Tt,Bt,de,Bt+Pt,de+Tt,F.COLOR_BUFFER_BIT,F.NEAREST):Ji?F.copyTexSubImage3D(Ut,Et,Bt,de,Xe+Un,zt,jt,Pt,Tt):F.copyTexSubImage2D(Ut,Et,Bt,de,zt,jt,Pt,Tt);bt.bindFramebuffer(F.READ_FRAMEBUFFER,null),bt.bindFramebuffer(F.DRAW_FRAMEBUFFER,null)}else Ji?w.isDataTexture||w.isData3DTexture?F.texSubImage3D(Ut,Et,Bt,de,Xe,Pt,Tt,It,Re,un,Ae.data):B.isCompressedArrayTexture?F.compressedTexSubImage3D(Ut,Et,Bt,de,Xe,Pt,Tt,It,Re,Ae.data):F.texSubImage3D(Ut,Et,Bt,de,Xe,Pt,Tt,It,Re,un,Ae):w.isDataTexture?F.texSubImage2D(F.TEXTURE_2D,Et,Bt,de,Pt,Tt,Re,un,Ae.data):w.isCompressedTexture?F.compressedTexSubImage2D(F.TEXTURE_2D,Et,Bt,de,Ae.width,Ae.height,Re,Ae.data):F.texSubImage2D(F.TEXTURE_2D,Et,Bt,de,Pt,Tt,Re,un,Ae);bt.pixelStorei(F.UNPACK_ROW_LENGTH,sn),bt.pixelStorei(F.UNPACK_IMAGE_HEIGHT,me),bt.pixelStorei(F.UNPACK_SKIP_PIXELS,$i),bt.pixelStorei(F.UNPACK_SKIP_ROWS,rn),bt.pixelStorei(F.UNPACK_SKIP_IMAGES,dr),Et===0&&B.generateMipmaps===!0&&B.mipmapsAutoUpdate===!0&&F.generateMipmap(Ut),bt.unbindTexture()},this.initRenderTarget=function(w){kt.get(w).__webglFramebuffer===void 0&&Xt.setupRenderTarget(w)},this.initTexture=function(w){w.isCubeTexture?Xt.setTextureCube(w,0):w.isData3DTexture?Xt.setTexture3D(w,0):w.isDataArrayTexture||w.isCompressedArrayTexture?Xt.setTexture2DArray(w,0):Xt.setTexture2D(w,0),bt.unbindTexture()},this.resetState=function(){Y=0,V=0,lt=null,bt.reset(),St.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return hi}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(t){this._outputColorSpace=t;let e=this.getContext();e.drawingBufferColorSpace=ge._getDrawingBufferColorSpace(t),e.unpackColorSpace=ge._getUnpackColorSpace()}};var Pu={box:()=>new Rs(1,1,1),cylinder:()=>new $s(1,1,1,24,1).rotateX(Math.PI/2),tube:()=>new $s(1,1,1,10,1,!0).rotateX(Math.PI/2),cone:()=>new Ja(1,1,12,1).rotateX(Math.PI/2),ball:()=>new Xr(1,24,16),bead:()=>new Xr(1,10,5)},LS=()=>Object.fromEntries(Object.keys(Pu).map(i=>[i,0])),DS=new te("#b9b9b9"),NS=new te("#3a4a5c"),US=new te("#e2452f"),xo=class i{static async build(t,{ghost:e=!1}={}){let n=new i;n.group=new Oi,n.scene=t,n.counts=LS(),n.moves=[],n.toggles=[],n.meshes=[],n.colours=Object.fromEntries(Object.keys(Pu).map(s=>[s,[]]));for(let s of t.nodes)await n.add(s,e);n.instances={};for(let[s,r]of Object.entries(n.counts)){if(!r)continue;let a=e?{color:"#f08c2e",transparent:!0,opacity:.35,depthWrite:!1}:{},o=new Gr(Pu[s](),new Cs(a),r);o.instanceMatrix.setUsage(cu),o.frustumCulled=!1,e||n.colours[s].forEach((l,c)=>o.setColorAt(c,new te(l))),n.instances[s]=o,n.group.add(o)}return n}take(t,e,n){let s=this.counts[t];this.counts[t]+=e;for(let r=0;r<e;r++)this.colours[t].push(n);return s}async add(t,e){let{moves:n}=this,s=t.colour;switch(t.kind){case"box":{let r=this.take("box",1,s);n.push(a=>na(this.matrices("box"),r,a.poses,7*t.pose,...t.size));break}case"ball":{let r=t.radius;if(t.pose===void 0){let a=this.take("bead",1,s);n.push(o=>Bp(this.matrices("bead"),a,o.points,3*t.point,r))}else{let a=this.take("ball",1,s);n.push(o=>na(this.matrices("ball"),a,o.poses,7*t.pose,r,r,r))}break}case"cylinder":{let r=this.take("cylinder",1,s),a=t.radius,o=t.axis==="y";n.push(l=>na(this.matrices("cylinder"),r,l.poses,7*t.pose,a,a,t.length,o));break}case"capsule":{let r=this.take("cylinder",1,s),a=this.take("ball",2,s),o=t.radius;n.push(l=>{let c=7*t.pose;na(this.matrices("cylinder"),r,l.poses,c,o,o,t.length),na(this.matrices("ball"),a,l.poses,c,o,o,o,!1,t.length/2),na(this.matrices("ball"),a+1,l.poses,c,o,o,o,!1,-t.length/2)});break}case"tube":{let r=t.count-1,a=this.take("tube",r,s),o=this.take("bead",r+1,s),l={level:null};n.push(c=>{let u=this.matrices("tube"),d=this.matrices("bead");for(let h=0,f=3*t.first;h<=r;h++,f+=3)Bp(d,o+h,c.points,f,t.radius),h<r&&zp(u,a+h,c.points,f,f+3,t.radius);t.level!==void 0&&!e&&this.tension(a,o,r,c.levels[t.level],l)});break}case"bar":{let r=this.take("tube",1,s),[a,o]=t.ends;n.push(l=>zp(this.matrices("tube"),r,l.points,3*a,3*o,t.radius));break}case"rail":{let r=this.take("box",1,s);n.push(a=>FS(this.matrices("box"),r,a.poses,7*t.pose,t));break}case"frame":{let r=["#cc3311","#228833","#3355bb"].map(a=>this.take("tube",1,a));this.toggles.push(t),n.push(a=>OS(this.matrices("tube"),r,a.poses,7*t.pose,this.framesShown?t.size:0));break}case"arrow":{let r=this.take("tube",1,s),a=this.take("cone",1,s);n.push(o=>BS(this,r,a,o,t,this.forcesShown?t.scale:0));break}case"plane":{if(e)break;let r={color:"#9fb0c2",transparent:!0,opacity:.35,side:ii,depthWrite:!1},a=new Cn(new Js(t.size,t.size),new Cs(r));a.position.set(...t.point),a.quaternion.setFromUnitVectors(new W(0,0,1),new W(...t.normal)),this.meshes.push(a),this.group.add(a);break}case"ring":{if(e)break;let r=new Cn(new Ka(t.radius+t.thick,t.thick,6,96),new Cs({color:"#8896a5"}));r.position.set(...t.point),r.quaternion.setFromUnitVectors(new W(0,0,1),new W(...t.normal)),this.meshes.push(r),this.group.add(r);break}case"mesh":{let r=new dn;r.setAttribute("position",new Rn((await Hs(t.vertices)).values,3)),r.setIndex([...(await Hs(t.faces)).values]);let a=r.toNonIndexed();a.computeVertexNormals();let o=e?{color:"#f08c2e",transparent:!0,opacity:.35,depthWrite:!1}:{color:s},l=new Cn(a,new Cs({...o,side:ii}));l.userData.solid=!0,this.meshes.push(l),this.group.add(l),n.push(c=>{let[u,d,h,f,p,_,g]=c.poses.subarray(7*t.pose,7*t.pose+7);l.position.set(u,d,h),l.quaternion.set(p,_,g,f)});break}default:throw new Error(`unknown part of a scene: ${t.kind}`)}}shadow(t){let e=new Oi;e.matrixAutoUpdate=!1,e.matrix.copy(t),this.shade=new Vr({color:"#d5dbe2"});for(let[n,s]of Object.entries(this.instances)){if(n==="bead")continue;let r=new Gr(s.geometry,this.shade,s.count);r.instanceMatrix=s.instanceMatrix,r.frustumCulled=!1,e.add(r)}for(let n of this.meshes.filter(s=>s.userData.solid)){let s=new Cn(n.geometry,this.shade);s.matrixAutoUpdate=!1,s.matrix=n.matrix,e.add(s)}this.group.add(e)}matrices(t){return this.instances[t].instanceMatrix.array}tension(t,e,n,s,r){let a=s<0?-2:Math.round(s*40);if(a===r.level)return;r.level=a;let o=a===-2?DS:new te().lerpColors(NS,US,Math.min(1,s));for(let l=0;l<n;l++)this.instances.tube.setColorAt(t+l,o);for(let l=0;l<=n;l++)this.instances.bead.setColorAt(e+l,o);this.instances.tube.instanceColor.needsUpdate=this.instances.bead.instanceColor.needsUpdate=!0}draw(t){for(let e of this.moves)e(t);for(let e of Object.values(this.instances))e.instanceMatrix.needsUpdate=!0}dispose(){for(let t of[...this.meshes,...Object.values(this.instances)])t.geometry.dispose(),t.material.dispose(),t.dispose?.();this.shade?.dispose(),this.group.removeFromParent()}};function na(i,t,e,n,s,r,a,o=!1,l=0){let c=e[n+3],u=e[n+4],d=e[n+5],h=e[n+6],f=16*t,p=1-2*(d*d+h*h),_=2*(u*d-c*h),g=2*(u*h+c*d),m=2*(u*d+c*h),v=1-2*(u*u+h*h),A=2*(d*h-c*u),M=2*(u*h-c*d),R=2*(d*h+c*u),T=1-2*(u*u+d*d);i[f]=s*p,i[f+1]=s*m,i[f+2]=s*M,i[f+3]=0,o?(i[f+4]=-r*g,i[f+5]=-r*A,i[f+6]=-r*T,i[f+7]=0,i[f+8]=a*_,i[f+9]=a*v,i[f+10]=a*R,i[f+11]=0):(i[f+4]=r*_,i[f+5]=r*v,i[f+6]=r*R,i[f+7]=0,i[f+8]=a*g,i[f+9]=a*A,i[f+10]=a*T,i[f+11]=0),i[f+12]=e[n]+l*g,i[f+13]=e[n+1]+l*A,i[f+14]=e[n+2]+l*T,i[f+15]=1}function Bp(i,t,e,n,s){let r=16*t;i.fill(0,r,r+16),i[r]=i[r+5]=i[r+10]=s,i[r+12]=e[n],i[r+13]=e[n+1],i[r+14]=e[n+2],i[r+15]=1}function zp(i,t,e,n,s,r){yo(i,t,e[n],e[n+1],e[n+2],e[s],e[s+1],e[s+2],r,r)}function yo(i,t,e,n,s,r,a,o,l,c){let u=r-e,d=a-n,h=o-s,f=Math.hypot(u,d,h)||1e-9,p=u/f,_=d/f,g=h/f,m=Math.abs(g)<.9,v=m?-_:0,A=m?p:g,M=m?0:-_,R=Math.hypot(v,A,M)||1;v/=R,A/=R,M/=R;let T=_*M-g*A,x=g*v-p*M,E=p*A-_*v,O=16*t;i[O]=l*v,i[O+1]=l*A,i[O+2]=l*M,i[O+3]=0,i[O+4]=c*T,i[O+5]=c*x,i[O+6]=c*E,i[O+7]=0,i[O+8]=u,i[O+9]=d,i[O+10]=h,i[O+11]=0,i[O+12]=(e+r)/2,i[O+13]=(n+a)/2,i[O+14]=(s+o)/2,i[O+15]=1}function kp(i,t,e){let n=i[t+3],s=i[t+4],r=i[t+5],a=i[t+6],o=2*(r*e[2]-a*e[1]),l=2*(a*e[0]-s*e[2]),c=2*(s*e[1]-r*e[0]);return[e[0]+n*o+r*c-a*l,e[1]+n*l+a*o-s*c,e[2]+n*c+s*l-r*o]}function FS(i,t,e,n,{axis:s,lower:r,upper:a,width:o,height:l,shift:c}){let u=kp(e,n,s),[d,h,f]=[e[n]+c[0],e[n+1]+c[1],e[n+2]+c[2]];yo(i,t,d+r*u[0],h+r*u[1],f+r*u[2],d+a*u[0],h+a*u[1],f+a*u[2],o,l)}function OS(i,t,e,n,s){let[r,a,o]=e.subarray(n,n+3);t.forEach((l,c)=>{let u=kp(e,n,[c===0?s:0,c===1?s:0,c===2?s:0]);yo(i,l,r,a,o,r+u[0],a+u[1],o+u[2],.05*s,.05*s)})}function BS(i,t,e,n,{point:s,vector:r,radius:a},o){let l=3*s,[c,u,d]=[0,1,2].map(A=>o*n.levels[r+A]),h=Math.hypot(c,u,d),f=Math.min(.4*h,5*a),p=h>0?(h-f)/h:0,[_,g,m]=[n.points[l],n.points[l+1],n.points[l+2]],v=h>0?Math.min(a,h/4):0;yo(i.matrices("tube"),t,_,g,m,_+p*c,g+p*u,m+p*d,v,v),yo(i.matrices("cone"),e,_+p*c,g+p*u,m+p*d,_+c,g+u,m+d,2.4*v,2.4*v)}var Vp={type:"change"},Lu={type:"start"},Hp={type:"end"},Ic=new Ts,Gp=new ti,zS=Math.cos(70*mu.DEG2RAD),mn=new W,qn=2*Math.PI,be={NONE:-1,ROTATE:0,DOLLY:1,PAN:2,TOUCH_ROTATE:3,TOUCH_PAN:4,TOUCH_DOLLY_PAN:5,TOUCH_DOLLY_ROTATE:6},Iu=1e-6,Lc=class extends so{constructor(t,e=null){super(t,e),this.state=be.NONE,this.target=new W,this.cursor=new W,this.minDistance=0,this.maxDistance=1/0,this.minZoom=0,this.maxZoom=1/0,this.minTargetRadius=0,this.maxTargetRadius=1/0,this.minPolarAngle=0,this.maxPolarAngle=Math.PI,this.minAzimuthAngle=-1/0,this.maxAzimuthAngle=1/0,this.enableDamping=!1,this.dampingFactor=.05,this.enableZoom=!0,this.zoomSpeed=1,this.enableRotate=!0,this.rotateSpeed=1,this.keyRotateSpeed=1,this.enablePan=!0,this.panSpeed=1,this.screenSpacePanning=!0,this.keyPanSpeed=7,this.zoomToCursor=!1,this.autoRotate=!1,this.autoRotateSpeed=2,this.keys={LEFT:"ArrowLeft",UP:"ArrowUp",RIGHT:"ArrowRight",BOTTOM:"ArrowDown"},this.mouseButtons={LEFT:Ds.ROTATE,MIDDLE:Ds.DOLLY,RIGHT:Ds.PAN},this.touches={ONE:Ns.ROTATE,TWO:Ns.DOLLY_PAN},this.target0=this.target.clone(),this.position0=this.object.position.clone(),this.zoom0=this.object.zoom,this._cursorStyle="auto",this._domElementKeyEvents=null,this._lastPosition=new W,this._lastQuaternion=new Vn,this._lastTargetPosition=new W,this._quat=new Vn().setFromUnitVectors(t.up,new W(0,1,0)),this._quatInverse=this._quat.clone().invert(),this._spherical=new Zr,this._sphericalDelta=new Zr,this._scale=1,this._panOffset=new W,this._rotateStart=new Kt,this._rotateEnd=new Kt,this._rotateDelta=new Kt,this._panStart=new Kt,this._panEnd=new Kt,this._panDelta=new Kt,this._dollyStart=new Kt,this._dollyEnd=new Kt,this._dollyDelta=new Kt,this._dollyDirection=new W,this._mouse=new Kt,this._performCursorZoom=!1,this._pointers=[],this._pointerPositions={},this._controlActive=!1,this._onPointerMove=VS.bind(this),this._onPointerDown=kS.bind(this),this._onPointerUp=GS.bind(this),this._onContextMenu=$S.bind(this),this._onMouseWheel=XS.bind(this),this._onKeyDown=qS.bind(this),this._onTouchStart=YS.bind(this),this._onTouchMove=ZS.bind(this),this._onMouseDown=HS.bind(this),this._onMouseMove=WS.bind(this),this._interceptControlDown=JS.bind(this),this._interceptControlUp=KS.bind(this),this.domElement!==null&&this.connect(this.domElement),this.update()}set cursorStyle(t){this._cursorStyle=t,t==="grab"?this.domElement.style.cursor="grab":this.domElement.style.cursor="auto"}get cursorStyle(){return this._cursorStyle}connect(t){super.connect(t),this.domElement.addEventListener("pointerdown",this._onPointerDown),this.domElement.addEventListener("pointercancel",this._onPointerUp),this.domElement.addEventListener("contextmenu",this._onContextMenu),this.domElement.addEventListener("wheel",this._onMouseWheel,{passive:!1}),this.domElement.ownerDocument.addEventListener("keydown",this._interceptControlDown,{passive:!0,capture:!0}),this.domElement.style.touchAction="none"}disconnect(){this.state=be.NONE,this.domElement.removeEventListener("pointerdown",this._onPointerDown),this.domElement.ownerDocument.removeEventListener("pointermove",this._onPointerMove),this.domElement.ownerDocument.removeEventListener("pointerup",this._onPointerUp),this.domElement.removeEventListener("pointercancel",this._onPointerUp),this.domElement.removeEventListener("wheel",this._onMouseWheel),this.domElement.removeEventListener("contextmenu",this._onContextMenu),this.stopListenToKeyEvents(),this.domElement.ownerDocument.removeEventListener("keydown",this._interceptControlDown,{capture:!0}),this.domElement.ownerDocument.removeEventListener("keyup",this._interceptControlUp,{capture:!0}),this._controlActive=!1,this._pointers.length=0,this._pointerPositions={},this.domElement.style.touchAction="",this.domElement.style.cursor="auto"}dispose(){this.disconnect()}getPolarAngle(){return this._spherical.phi}getAzimuthalAngle(){return this._spherical.theta}getDistance(){return this.object.position.distanceTo(this.target)}listenToKeyEvents(t){t.addEventListener("keydown",this._onKeyDown),this._domElementKeyEvents=t}stopListenToKeyEvents(){this._domElementKeyEvents!==null&&(this._domElementKeyEvents.removeEventListener("keydown",this._onKeyDown),this._domElementKeyEvents=null)}saveState(){this.target0.copy(this.target),this.position0.copy(this.object.position),this.zoom0=this.object.zoom}reset(){this.target.copy(this.target0),this.object.position.copy(this.position0),this.object.zoom=this.zoom0,this.object.updateProjectionMatrix(),this.dispatchEvent(Vp),this.update(),this.state=be.NONE}pan(t,e){this._pan(t,e),this.update()}dollyIn(t){this._dollyIn(t),this.update()}dollyOut(t){this._dollyOut(t),this.update()}rotateLeft(t){this._rotateLeft(t),this.update()}rotateUp(t){this._rotateUp(t),this.update()}update(t=null){let e=this.object.position;mn.copy(e).sub(this.target),mn.applyQuaternion(this._quat),this._spherical.setFromVector3(mn),this.autoRotate&&this.state===be.NONE&&this._rotateLeft(this._getAutoRotationAngle(t)),this.enableDamping?(this._spherical.theta+=this._sphericalDelta.theta*this.dampingFactor,this._spherical.phi+=this._sphericalDelta.phi*this.dampingFactor):(this._spherical.theta+=this._sphericalDelta.theta,this._spherical.phi+=this._sphericalDelta.phi);let n=this.minAzimuthAngle,s=this.maxAzimuthAngle;isFinite(n)&&isFinite(s)&&(n<-Math.PI?n+=qn:n>Math.PI&&(n-=qn),s<-Math.PI?s+=qn:s>Math.PI&&(s-=qn),n<=s?this._spherical.theta=Math.max(n,Math.min(s,this._spherical.theta)):this._spherical.theta=this._spherical.theta>(n+s)/2?Math.max(n,this._spherical.theta):Math.min(s,this._spherical.theta)),this._spherical.phi=Math.max(this.minPolarAngle,Math.min(this.maxPolarAngle,this._spherical.phi)),this._spherical.makeSafe(),this.enableDamping===!0?this.target.addScaledVector(this._panOffset,this.dampingFactor):this.target.add(this._panOffset),this.target.sub(this.cursor),this.target.clampLength(this.minTargetRadius,this.maxTargetRadius),this.target.add(this.cursor);let r=!1;if(this.zoomToCursor&&this._performCursorZoom||this.object.isOrthographicCamera)this._spherical.radius=this._clampDistance(this._spherical.radius);else{let a=this._spherical.radius;this._spherical.radius=this._clampDistance(this._spherical.radius*this._scale),r=a!=this._spherical.radius}if(mn.setFromSpherical(this._spherical),mn.applyQuaternion(this._quatInverse),e.copy(this.target).add(mn),this.object.lookAt(this.target),this.enableDamping===!0?(this._sphericalDelta.theta*=1-this.dampingFactor,this._sphericalDelta.phi*=1-this.dampingFactor,this._panOffset.multiplyScalar(1-this.dampingFactor)):(this._sphericalDelta.set(0,0,0),this._panOffset.set(0,0,0)),this.zoomToCursor&&this._performCursorZoom){let a=null;if(this.object.isPerspectiveCamera){let o=mn.length();a=this._clampDistance(o*this._scale);let l=o-a;this.object.position.addScaledVector(this._dollyDirection,l),this.object.updateMatrixWorld(),r=!!l}else if(this.object.isOrthographicCamera){let o=new W(this._mouse.x,this._mouse.y,0);o.unproject(this.object);let l=this.object.zoom;this.object.zoom=Math.max(this.minZoom,Math.min(this.maxZoom,this.object.zoom/this._scale)),this.object.updateProjectionMatrix(),r=l!==this.object.zoom;let c=new W(this._mouse.x,this._mouse.y,0);c.unproject(this.object),this.object.position.sub(c).add(o),this.object.updateMatrixWorld(),a=mn.length()}else console.warn("WARNING: OrbitControls.js encountered an unknown camera type - zoom to cursor disabled."),this.zoomToCursor=!1;a!==null&&(this.screenSpacePanning?this.target.set(0,0,-1).transformDirection(this.object.matrix).multiplyScalar(a).add(this.object.position):(Ic.origin.copy(this.object.position),Ic.direction.set(0,0,-1).transformDirection(this.object.matrix),Math.abs(this.object.up.dot(Ic.direction))<zS?this.object.lookAt(this.target):(Gp.setFromNormalAndCoplanarPoint(this.object.up,this.target),Ic.intersectPlane(Gp,this.target))))}else if(this.object.isOrthographicCamera){let a=this.object.zoom;this.object.zoom=Math.max(this.minZoom,Math.min(this.maxZoom,this.object.zoom/this._scale)),a!==this.object.zoom&&(this.object.updateProjectionMatrix(),r=!0)}return this._scale=1,this._performCursorZoom=!1,r||this._lastPosition.distanceToSquared(this.object.position)>Iu||8*(1-this._lastQuaternion.dot(this.object.quaternion))>Iu||this._lastTargetPosition.distanceToSquared(this.target)>Iu?(this.dispatchEvent(Vp),this._lastPosition.copy(this.object.position),this._lastQuaternion.copy(this.object.quaternion),this._lastTargetPosition.copy(this.target),!0):!1}_getAutoRotationAngle(t){return t!==null?qn/60*this.autoRotateSpeed*t:qn/60/60*this.autoRotateSpeed}_getZoomScale(t){let e=Math.abs(t*.01);return Math.pow(.95,this.zoomSpeed*e)}_rotateLeft(t){this._sphericalDelta.theta-=t}_rotateUp(t){this._sphericalDelta.phi-=t}_panLeft(t,e){mn.setFromMatrixColumn(e,0),mn.multiplyScalar(-t),this._panOffset.add(mn)}_panUp(t,e){this.screenSpacePanning===!0?mn.setFromMatrixColumn(e,1):(mn.setFromMatrixColumn(e,0),mn.crossVectors(this.object.up,mn)),mn.multiplyScalar(t),this._panOffset.add(mn)}_pan(t,e){let n=this.domElement;if(this.object.isPerspectiveCamera){let s=this.object.position;mn.copy(s).sub(this.target);let r=mn.length();r*=Math.tan(this.object.fov/2*Math.PI/180),this._panLeft(2*t*r/n.clientHeight,this.object.matrix),this._panUp(2*e*r/n.clientHeight,this.object.matrix)}else this.object.isOrthographicCamera?(this._panLeft(t*(this.object.right-this.object.left)/this.object.zoom/n.clientWidth,this.object.matrix),this._panUp(e*(this.object.top-this.object.bottom)/this.object.zoom/n.clientHeight,this.object.matrix)):(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - pan disabled."),this.enablePan=!1)}_dollyOut(t){this.object.isPerspectiveCamera||this.object.isOrthographicCamera?this._scale/=t:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),this.enableZoom=!1)}_dollyIn(t){this.object.isPerspectiveCamera||this.object.isOrthographicCamera?this._scale*=t:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),this.enableZoom=!1)}_updateZoomParameters(t,e){if(!this.zoomToCursor)return;this._performCursorZoom=!0;let n=this.domElement.getBoundingClientRect(),s=t-n.left,r=e-n.top,a=n.width,o=n.height;this._mouse.x=s/a*2-1,this._mouse.y=-(r/o)*2+1,this._dollyDirection.set(this._mouse.x,this._mouse.y,1).unproject(this.object).sub(this.object.position).normalize()}_clampDistance(t){return Math.max(this.minDistance,Math.min(this.maxDistance,t))}_handleMouseDownRotate(t){this._rotateStart.set(t.clientX,t.clientY)}_handleMouseDownDolly(t){this._updateZoomParameters(t.clientX,t.clientY),this._dollyStart.set(t.clientX,t.clientY)}_handleMouseDownPan(t){this._panStart.set(t.clientX,t.clientY)}_handleMouseMoveRotate(t){this._rotateEnd.set(t.clientX,t.clientY),this._rotateDelta.subVectors(this._rotateEnd,this._rotateStart).multiplyScalar(this.rotateSpeed);let e=this.domElement;this._rotateLeft(qn*this._rotateDelta.x/e.clientHeight),this._rotateUp(qn*this._rotateDelta.y/e.clientHeight),this._rotateStart.copy(this._rotateEnd),this.update()}_handleMouseMoveDolly(t){this._dollyEnd.set(t.clientX,t.clientY),this._dollyDelta.subVectors(this._dollyEnd,this._dollyStart),this._dollyDelta.y>0?this._dollyOut(this._getZoomScale(this._dollyDelta.y)):this._dollyDelta.y<0&&this._dollyIn(this._getZoomScale(this._dollyDelta.y)),this._dollyStart.copy(this._dollyEnd),this.zoomToCursor&&(this._performCursorZoom=!0,this._dollyDirection.set(this._mouse.x,this._mouse.y,1).unproject(this.object).sub(this.object.position).normalize()),this.update()}_handleMouseMovePan(t){this._panEnd.set(t.clientX,t.clientY),this._panDelta.subVectors(this._panEnd,this._panStart).multiplyScalar(this.panSpeed),this._pan(this._panDelta.x,this._panDelta.y),this._panStart.copy(this._panEnd),this.update()}_handleMouseWheel(t){this._updateZoomParameters(t.clientX,t.clientY),t.deltaY<0?this._dollyIn(this._getZoomScale(t.deltaY)):t.deltaY>0&&this._dollyOut(this._getZoomScale(t.deltaY)),this.update()}_handleKeyDown(t){let e=!1;switch(t.code){case this.keys.UP:t.ctrlKey||t.metaKey||t.shiftKey?this.enableRotate&&this._rotateUp(qn*this.keyRotateSpeed/this.domElement.clientHeight):this.enablePan&&this._pan(0,this.keyPanSpeed),e=!0;break;case this.keys.BOTTOM:t.ctrlKey||t.metaKey||t.shiftKey?this.enableRotate&&this._rotateUp(-qn*this.keyRotateSpeed/this.domElement.clientHeight):this.enablePan&&this._pan(0,-this.keyPanSpeed),e=!0;break;case this.keys.LEFT:t.ctrlKey||t.metaKey||t.shiftKey?this.enableRotate&&this._rotateLeft(qn*this.keyRotateSpeed/this.domElement.clientHeight):this.enablePan&&this._pan(this.keyPanSpeed,0),e=!0;break;case this.keys.RIGHT:t.ctrlKey||t.metaKey||t.shiftKey?this.enableRotate&&this._rotateLeft(-qn*this.keyRotateSpeed/this.domElement.clientHeight):this.enablePan&&this._pan(-this.keyPanSpeed,0),e=!0;break}e&&(t.preventDefault(),this.update())}_handleTouchStartRotate(t){if(this._pointers.length===1)this._rotateStart.set(t.pageX,t.pageY);else{let e=this._getSecondPointerPosition(t),n=.5*(t.pageX+e.x),s=.5*(t.pageY+e.y);this._rotateStart.set(n,s)}}_handleTouchStartPan(t){if(this._pointers.length===1)this._panStart.set(t.pageX,t.pageY);else{let e=this._getSecondPointerPosition(t),n=.5*(t.pageX+e.x),s=.5*(t.pageY+e.y);this._panStart.set(n,s)}}_handleTouchStartDolly(t){let e=this._getSecondPointerPosition(t),n=t.pageX-e.x,s=t.pageY-e.y,r=Math.sqrt(n*n+s*s);this._dollyStart.set(0,r)}_handleTouchStartDollyPan(t){this.enableZoom&&this._handleTouchStartDolly(t),this.enablePan&&this._handleTouchStartPan(t)}_handleTouchStartDollyRotate(t){this.enableZoom&&this._handleTouchStartDolly(t),this.enableRotate&&this._handleTouchStartRotate(t)}_handleTouchMoveRotate(t){if(this._pointers.length==1)this._rotateEnd.set(t.pageX,t.pageY);else{let n=this._getSecondPointerPosition(t),s=.5*(t.pageX+n.x),r=.5*(t.pageY+n.y);this._rotateEnd.set(s,r)}this._rotateDelta.subVectors(this._rotateEnd,this._rotateStart).multiplyScalar(this.rotateSpeed);let e=this.domElement;this._rotateLeft(qn*this._rotateDelta.x/e.clientHeight),this._rotateUp(qn*this._rotateDelta.y/e.clientHeight),this._rotateStart.copy(this._rotateEnd)}_handleTouchMovePan(t){if(this._pointers.length===1)this._panEnd.set(t.pageX,t.pageY);else{let e=this._getSecondPointerPosition(t),n=.5*(t.pageX+e.x),s=.5*(t.pageY+e.y);this._panEnd.set(n,s)}this._panDelta.subVectors(this._panEnd,this._panStart).multiplyScalar(this.panSpeed),this._pan(this._panDelta.x,this._panDelta.y),this._panStart.copy(this._panEnd)}_handleTouchMoveDolly(t){let e=this._getSecondPointerPosition(t),n=t.pageX-e.x,s=t.pageY-e.y,r=Math.sqrt(n*n+s*s);this._dollyEnd.set(0,r),this._dollyDelta.set(0,Math.pow(this._dollyEnd.y/this._dollyStart.y,this.zoomSpeed)),this._dollyOut(this._dollyDelta.y),this._dollyStart.copy(this._dollyEnd);let a=(t.pageX+e.x)*.5,o=(t.pageY+e.y)*.5;this._updateZoomParameters(a,o)}_handleTouchMoveDollyPan(t){this.enableZoom&&this._handleTouchMoveDolly(t),this.enablePan&&this._handleTouchMovePan(t)}_handleTouchMoveDollyRotate(t){this.enableZoom&&this._handleTouchMoveDolly(t),this.enableRotate&&this._handleTouchMoveRotate(t)}_addPointer(t){this._pointers.push(t.pointerId)}_removePointer(t){delete this._pointerPositions[t.pointerId];for(let e=0;e<this._pointers.length;e++)if(this._pointers[e]==t.pointerId){this._pointers.splice(e,1);return}}_isTrackingPointer(t){for(let e=0;e<this._pointers.length;e++)if(this._pointers[e]==t.pointerId)return!0;return!1}_trackPointer(t){let e=this._pointerPositions[t.pointerId];e===void 0&&(e=new Kt,this._pointerPositions[t.pointerId]=e),e.set(t.pageX,t.pageY)}_getSecondPointerPosition(t){let e=t.pointerId===this._pointers[0]?this._pointers[1]:this._pointers[0];return this._pointerPositions[e]}_customWheelEvent(t){let e=t.deltaMode,n={clientX:t.clientX,clientY:t.clientY,deltaY:t.deltaY};switch(e){case 1:n.deltaY*=16;break;case 2:n.deltaY*=100;break}return t.ctrlKey&&!this._controlActive&&(n.deltaY*=10),n}};function kS(i){this.enabled!==!1&&(this._pointers.length===0&&(this.domElement.setPointerCapture(i.pointerId),this.domElement.ownerDocument.addEventListener("pointermove",this._onPointerMove),this.domElement.ownerDocument.addEventListener("pointerup",this._onPointerUp)),!this._isTrackingPointer(i)&&(this._addPointer(i),i.pointerType==="touch"?this._onTouchStart(i):this._onMouseDown(i),this._cursorStyle==="grab"&&(this.domElement.style.cursor="grabbing")))}function VS(i){this.enabled!==!1&&(i.pointerType==="touch"?this._onTouchMove(i):this._onMouseMove(i))}function GS(i){switch(this._removePointer(i),this._pointers.length){case 0:this.domElement.releasePointerCapture(i.pointerId),this.domElement.ownerDocument.removeEventListener("pointermove",this._onPointerMove),this.domElement.ownerDocument.removeEventListener("pointerup",this._onPointerUp),this.dispatchEvent(Hp),this.state=be.NONE,this._cursorStyle==="grab"&&(this.domElement.style.cursor="grab");break;case 1:let t=this._pointers[0],e=this._pointerPositions[t];this._onTouchStart({pointerId:t,pageX:e.x,pageY:e.y});break}}function HS(i){let t;switch(i.button){case 0:t=this.mouseButtons.LEFT;break;case 1:t=this.mouseButtons.MIDDLE;break;case 2:t=this.mouseButtons.RIGHT;break;default:t=-1}switch(t){case Ds.DOLLY:if(this.enableZoom===!1)return;this._handleMouseDownDolly(i),this.state=be.DOLLY;break;case Ds.ROTATE:if(i.ctrlKey||i.metaKey||i.shiftKey){if(this.enablePan===!1)return;this._handleMouseDownPan(i),this.state=be.PAN}else{if(this.enableRotate===!1)return;this._handleMouseDownRotate(i),this.state=be.ROTATE}break;case Ds.PAN:if(i.ctrlKey||i.metaKey||i.shiftKey){if(this.enableRotate===!1)return;this._handleMouseDownRotate(i),this.state=be.ROTATE}else{if(this.enablePan===!1)return;this._handleMouseDownPan(i),this.state=be.PAN}break;default:this.state=be.NONE}this.state!==be.NONE&&this.dispatchEvent(Lu)}function WS(i){switch(this.state){case be.ROTATE:if(this.enableRotate===!1)return;this._handleMouseMoveRotate(i);break;case be.DOLLY:if(this.enableZoom===!1)return;this._handleMouseMoveDolly(i);break;case be.PAN:if(this.enablePan===!1)return;this._handleMouseMovePan(i);break}}function XS(i){this.enabled===!1||this.enableZoom===!1||this.state!==be.NONE||(i.preventDefault(),this.dispatchEvent(Lu),this._handleMouseWheel(this._customWheelEvent(i)),this.dispatchEvent(Hp))}function qS(i){this.enabled!==!1&&this._handleKeyDown(i)}function YS(i){switch(this._trackPointer(i),this._pointers.length){case 1:switch(this.touches.ONE){case Ns.ROTATE:if(this.enableRotate===!1){this.state=be.NONE;break}this._handleTouchStartRotate(i),this.state=be.TOUCH_ROTATE;break;case Ns.PAN:if(this.enablePan===!1){this.state=be.NONE;break}this._handleTouchStartPan(i),this.state=be.TOUCH_PAN;break;default:this.state=be.NONE}break;case 2:switch(this.touches.TWO){case Ns.DOLLY_PAN:if(this.enableZoom===!1&&this.enablePan===!1)return;this._handleTouchStartDollyPan(i),this.state=be.TOUCH_DOLLY_PAN;break;case Ns.DOLLY_ROTATE:if(this.enableZoom===!1&&this.enableRotate===!1)return;this._handleTouchStartDollyRotate(i),this.state=be.TOUCH_DOLLY_ROTATE;break;default:this.state=be.NONE}break;default:this.state=be.NONE}this.state!==be.NONE&&this.dispatchEvent(Lu)}function ZS(i){switch(this._trackPointer(i),this.state){case be.TOUCH_ROTATE:if(this.enableRotate===!1)return;this._handleTouchMoveRotate(i),this.update();break;case be.TOUCH_PAN:if(this.enablePan===!1)return;this._handleTouchMovePan(i),this.update();break;case be.TOUCH_DOLLY_PAN:if(this.enableZoom===!1&&this.enablePan===!1)return;this._handleTouchMoveDollyPan(i),this.update();break;case be.TOUCH_DOLLY_ROTATE:if(this.enableZoom===!1&&this.enableRotate===!1)return;this._handleTouchMoveDollyRotate(i),this.update();break;default:this.state=be.NONE}}function $S(i){this.enabled!==!1&&i.preventDefault()}function JS(i){i.key==="Control"&&(this._controlActive=!0,this.domElement.ownerDocument.addEventListener("keyup",this._interceptControlUp,{passive:!0,capture:!0}))}function KS(i){i.key==="Control"&&(this._controlActive=!1,this.domElement.ownerDocument.removeEventListener("keyup",this._interceptControlUp,{passive:!0,capture:!0}))}var Dc=null,Du=null;function Fu(){if(Du===null){let i=document.createElement("canvas").getContext("webgl2"),t=i?.getExtension("WEBGL_debug_renderer_info");Du=/swiftshader|llvmpipe|softpipe|software/i.test(t?i.getParameter(t.UNMASKED_RENDERER_WEBGL):""),i?.getExtension("WEBGL_lose_context")?.loseContext()}return Du}function Wp(i){return new Rc({canvas:i,antialias:!Fu(),preserveDrawingBuffer:!1})}function Xp(i){return Fu()?i?2:1:Math.min(devicePixelRatio,2)}var Nu=class{constructor(t){this.canvas=t,this.renderer=Wp(t)}render(t,e,n,s,r){let a=[n,s,Xp(r)];a.join()!==this.sized&&(this.renderer.setPixelRatio(a[2]),this.renderer.setSize(n,s,!1),this.sized=a.join()),this.renderer.render(t,e)}},Uu=class{constructor(t){this.canvas=t,this.context=t.getContext("2d"),Dc??=Wp(document.createElement("canvas"))}render(t,e,n,s,r){let[a,o]=[n,s].map(l=>Math.round(l*Xp(r)));(this.canvas.width!==a||this.canvas.height!==o)&&([this.canvas.width,this.canvas.height]=[a,o]),Dc.setSize(a,o,!1),Dc.render(t,e),this.context.drawImage(Dc.domElement,0,0)}},Nc=class{constructor(t,{own:e=!1}={}){this.host=t,this.canvas=document.createElement("canvas"),this.canvas.className="da-canvas",t.appendChild(this.canvas),this.own=e,this.world=new za,this.camera=new zn(32,1,.01,1e3),this.controls=new Lc(this.camera,this.canvas),this.controls.enableDamping=!1,this.controls.addEventListener("change",()=>this.dirty=!0),this.controls.addEventListener("start",()=>this.touched=!0),this.world.add(new Qa("#ffffff","#9aa2ad",2),new io("#ffffff",.35)),this.lamp=new no("#ffffff",1.9),this.world.add(this.lamp,this.lamp.target),this.decor=[],new ResizeObserver(()=>this.dirty=!0).observe(t)}furnish(t){for(let o of this.decor)this.world.remove(o),o.geometry.dispose(),o.material.dispose();this.decor=[],this.scene=t;let e=new W(...t.up),n=new W(...t.centre),s=t.size,r=new W(...t.across);this.lamp.position.copy(n).addScaledVector(e,1.6*s).addScaledVector(r,.7*s).addScaledVector(new W().crossVectors(e,r),-.9*s),this.lamp.target.position.copy(n),this.camera.near=.01*s,this.camera.far=60*s,t.place==="space"?this.space(n,s):this.floor(t,e,r,n);let a=this.lamp.position.clone().sub(n);this.shade=t.place==="ground"?jS(e,t.floor.level+6e-4*s,a):null,this.dirty=!0}floor(t,e,n,s){this.world.background=new te("#f4f6f8");let{step:r,level:a}=t.floor,o=s.clone().addScaledVector(e,a-s.dot(e)),l=new W().crossVectors(e,n),c=Math.ceil(1.2*t.size/r),u=[n,l].map(_=>Math.round(o.dot(_)/r)*r),d=e.clone().multiplyScalar(a).addScaledVector(n,u[0]).addScaledVector(l,u[1]),h=[];for(let _=-c;_<=c;_++)for(let[g,m]of[[n,l],[l,n]])for(let v of[-c,c])h.push(...d.clone().addScaledVector(g,_*r).addScaledVector(m,v*r).toArray());let f=new dn;f.setAttribute("position",new Rn(new Float32Array(h),3));let p=new Wa(f,new Zs({color:"#d3d9e0"}));this.put(p)}space(t,e){let n=document.createElement("canvas");[n.width,n.height]=[2,256];let s=n.getContext("2d"),r=s.createLinearGradient(0,0,0,256);[[0,"#0b1426"],[.6,"#16243f"],[1,"#27406b"]].forEach(([d,h])=>r.addColorStop(d,h)),s.fillStyle=r,s.fillRect(0,0,2,256);let a=new Ya(n);a.colorSpace="srgb",this.world.background=a;let o=1,l=()=>(o=o*16807%2147483647)/2147483647,c=new Float32Array(1500);for(let d=0;d<c.length;d+=3){let h=2*l()-1,f=2*Math.PI*l(),p=Math.sqrt(1-h*h);new W(p*Math.cos(f),p*Math.sin(f),h).multiplyScalar(25*e).add(t).toArray(c,d)}let u=new dn;u.setAttribute("position",new Rn(c,3)),this.put(new Xa(u,new Wr({color:"#dfe8ff",size:1.6,sizeAttenuation:!1})))}put(t){this.decor.push(t),this.world.add(t)}fit(t,e=!0){let n=e?new W(...this.scene.eye):this.camera.position.clone().sub(this.controls.target).normalize(),s=new W(...this.scene.up);this.camera.up.copy(s);let r=new W().crossVectors(s,n).normalize(),a=new W().crossVectors(n,r),o=Math.tan(this.camera.fov*Math.PI/360),l=o*this.aspect(),c=o*(1-2*Math.min(.2,this.captioned()/Math.max(1,this.host.clientHeight))),u=[-1/0,-1/0,-1/0,-1/0],d=-1/0,h=new W;for(let v=0;v<t.length;v+=3){h.set(t[v],t[v+1],t[v+2]);let[A,M,R]=[h.dot(r),h.dot(a),h.dot(n)];d=Math.max(d,R),[A+l*R,-A+l*R,M+c*R,-M+o*R].forEach((T,x)=>u[x]=Math.max(u[x],T))}let f=Math.max((u[0]+u[1])/(2*l),(u[2]+u[3])/(c+o),d+.1*this.scene.size),[p,_]=[(u[0]-u[1])/2,(u[2]-u[3]+(o-c)*f)/2],g=d-Math.min(.5*this.scene.size,.5*(f-d)+.5*this.scene.size),m=r.multiplyScalar(p).addScaledVector(a,_);this.controls.target.copy(m).addScaledVector(n,g),this.camera.position.copy(m).addScaledVector(n,g+1.07*(f-g)),this.controls.update(),this.dirty=!0}extent(t){this.camera.aspect=this.aspect(),this.camera.updateProjectionMatrix(),this.camera.updateMatrixWorld();let e=[1/0,1/0],n=[-1/0,-1/0],s=new W;for(let r=0;r<t.length;r+=3){if(s.set(t[r],t[r+1],t[r+2]).project(this.camera),Math.abs(s.z)>1)return[0,1/0];[s.x,s.y].forEach((a,o)=>[e[o],n[o]]=[Math.min(e[o],a),Math.max(n[o],a)])}return[Math.max(n[0]-e[0],n[1]-e[1])/2,Math.max(...n,-e[0],-e[1])]}captioned(){let t=this.host.querySelector(".da-caption");return t?.offsetHeight?t.offsetTop+t.offsetHeight:0}aspect(){return this.host.clientWidth/Math.max(1,this.host.clientHeight)}render(t){let[e,n]=[this.host.clientWidth,this.host.clientHeight];if(!(!e||!n)&&(this.dirty=!1,!this.blind)){try{this.surface??=this.own?new Nu(this.canvas):new Uu(this.canvas)}catch{this.blind=!0,this.host.append(Object.assign(document.createElement("p"),{className:"da-blind",textContent:"This browser has no WebGL: the machine cannot be drawn."}));return}this.camera.aspect=this.aspect(),this.camera.updateProjectionMatrix(),this.surface.render(this.world,this.camera,e,n,t),this.unsharp=Fu()&&!t}}path(t,e,n){let s=Math.max(1,Math.ceil(t.n/400)),r=Math.floor((t.n-1)/s)+1,a=new Float32Array(3*r);for(let c=0;c<r;c++)for(let u=0;u<3;u++)a[3*c+u]=t.points[(3*e+u)*t.n+c*s];let o=new dn;o.setAttribute("position",new Rn(a,3));let l=new Hr(o,new Zs({color:n}));return l.frustumCulled=!1,l.reach=c=>o.setDrawRange(0,Math.floor(c/s)+1),this.world.add(l),l}};function jS(i,t,e){let n=e.clone().divideScalar(e.dot(i)),[s,r]=[i.toArray(),n.toArray()],a=[];for(let o=0;o<3;o++){for(let l=0;l<3;l++)a.push((o===l?1:0)-r[o]*s[l]);a.push(t*r[o])}return new ye().set(...a,0,0,0,1)}function pt(i,t={},...e){let n=document.createElement(i),{dataset:s,...r}=t;return Object.assign(n,r),Object.assign(n.dataset,s??{}),n.append(...e),n}function wi(i,t){for(let e of i)e.style.display=t?"":"none"}function je(i){if(i===0||!Number.isFinite(i))return String(i);let t=Math.abs(i);return t>=1e5||t<.001?i.toExponential(3):String(Number(i.toPrecision(5)))}var qp=[.01,.02,.05,.1,.25,.5,1,2,5,10],QS="#d6304f",Zp=new Set,Yp=!1,Xi=class{constructor(t,e={}){this.host=t,t.classList.add("da-player"),this.view=pt("div",{className:"da-view"}),this.caption=pt("div",{className:"da-caption"}),this.view.append(this.caption),t.append(this.view,this.toolbar()),this.stage=new Nc(this.view,{own:e.own}),this.time=0,this.speed=1,this.playing=!1,this.exaggerate=1,this.listeners=[],this.lines=[],this.stats={frames:0,script:0},this.visible=!0,new IntersectionObserver(([n])=>{this.visible=n.isIntersecting,this.stage.dirty=!0}).observe(this.view),Zp.add(this),Yp||(Yp=!0,requestAnimationFrame($p))}toolbar(){this.button=pt("button",{className:"da-button",title:"play (space)",onclick:()=>this.toggle()}),this.slider=pt("input",{type:"range",className:"da-scrub",min:0,max:1,step:"any",value:0,title:"time"}),this.slider.oninput=()=>{this.pause(),this.seek(this.film.start+Number(this.slider.value)*(this.film.end-this.film.start))},this.clock=pt("output",{className:"da-clock"}),this.pace=pt("select",{className:"da-pace",title:"speed"});for(let e of qp)this.pace.append(new Option(`${e} x`,e,e===1,e===1));this.pace.onchange=()=>this.speed=Number(this.pace.value),this.bend=pt("input",{type:"range",className:"da-bend",min:0,max:1,step:"any",value:0}),this.bendLabel=pt("label",{className:"da-label",title:"factor on the bending of beams"},"bending ",this.bend),this.bendValue=pt("output",{className:"da-clock"},"1 x"),this.bendLabel.append(this.bendValue),this.bend.oninput=()=>this.bendBy(Math.exp(Number(this.bend.value)*Math.log(this.scene.bending))),this.trace=pt("select",{className:"da-pace da-trace",title:"path of a point"}),this.trace.onchange=()=>this.traceOf(this.trace.value),this.frames=this.box("frames",()=>this.show("framesShown",this.frames.checked)),this.forces=this.box("forces",()=>this.show("forcesShown",this.forces.checked));let t=pt("button",{className:"da-button da-plain",title:"look at the whole machine",onclick:()=>this.refit(!0)},"fit");return this.bar=pt("div",{className:"da-bar"},this.button,this.slider,this.clock,this.pace,this.bendLabel,this.trace,this.frames.parentNode,this.forces.parentNode,t),this.bar}box(t,e){let n=pt("input",{type:"checkbox",onchange:e});return pt("label",{className:"da-label"},n,` ${t}`),n}async load(t,{keep:e=!1,path:n=t.scene.trace}={}){let[s,r]=[await ys.read(t),await xo.build(t.scene)];this.shapes?.dispose(),this.compare(null),[this.film,this.shapes,this.scene,this.packed]=[s,r,t.scene,t],this.stage.world.add(r.group),r.framesShown=this.frames.checked,this.forces.checked=r.forcesShown=!0,this.stage.furnish(t.scene),this.stage.shade&&r.shadow(this.stage.shade),this.view.classList.toggle("da-dark",t.scene.place==="space"),this.controls(),wi([this.bendLabel],t.scene.bending>1&&!!s.straight_points),wi([this.frames.parentNode],t.scene.nodes.some(a=>a.kind==="frame")),wi([this.forces.parentNode],t.scene.nodes.some(a=>a.kind==="arrow")),this.trace.replaceChildren(new Option("no path",""),...t.scene.traces.map(([a,o])=>new Option(`path of ${a}`,o))),e||(this.setSpeed(t.scene.speed),this.exaggerate=1,this.bend.value=0,this.bendValue.textContent="1 x",this.refit(!0)),this.traceOf(n??""),this.seek(e?this.time:s.start),this.host.dataset.loaded=String(Number(this.host.dataset.loaded??0)+1)}async recast(t){this.film=await ys.read(t),[this.packed,this.scene.cloud]=[t,t.scene.cloud],this.pause(),this.controls(),this.setSpeed(t.scene.speed),!this.stage.touched&&!this.fits()&&this.refit(!0),this.traceOf(this.trace.value),this.seek(this.film.start),this.host.dataset.loaded=String(Number(this.host.dataset.loaded??0)+1)}controls(){let t=this.film.n>1;wi([this.button,this.slider,this.clock,this.pace],t),wi([this.trace],t&&this.scene.traces.length>0)}async grow(t){let e=!this.playing&&this.time>=this.film.end;if(t.scene){let n=this.ghost;this.ghost=null,await this.load(t,{keep:!0,path:this.trace.value}),this.ghost=n}else{let n=this.film;if(await n.append(t),n!==this.film)return;this.scene.cloud=t.cloud,this.controls(),this.traceOf(this.trace.value)}!this.stage.touched&&!this.fits()&&this.refit(!0),this.seek(e?this.film.end:this.time)}async compare(t){this.ghost?.shapes.dispose(),this.ghost=null,t&&(this.ghost={film:await ys.read(t),shapes:await xo.build(t.scene,{ghost:!0})},this.stage.world.add(this.ghost.shapes.group)),this.film&&this.seek(this.time)}setSpeed(t){this.speed=qp.reduce((e,n)=>Math.abs(Math.log(n/t))<Math.abs(Math.log(e/t))?n:e),this.pace.value=String(this.speed)}show(t,e){this.shapes[t]=e,this.seek(this.time)}traceOf(t){for(let e of this.lines)e.removeFromParent(),e.geometry.dispose(),e.material.dispose();this.lines=[],this.trace.value=String(t),t!==""&&(this.lines=[this.stage.path(this.film,Number(t),QS)]),this.seek(this.time)}bendBy(t){this.exaggerate=t,this.bend.value=Math.log(t)/Math.log(this.scene.bending),this.bendValue.textContent=`${t<10?t.toFixed(1):t.toFixed(0)} x`,this.refit(!1),this.seek(this.time)}refit(t){let e=[...this.scene.cloud];if(this.exaggerate!==1)for(let n=0;n<this.film.n;n+=Math.max(1,this.film.n>>5))e.push(...this.film.show(this.film.t[n],this.exaggerate).points);this.stage.fit(e,t)}fits(){let[t,e]=this.stage.extent(this.scene.cloud);return e<=1&&t>=.45}seek(t){if(!this.film)return;this.time=Math.min(Math.max(t,this.film.start),this.film.end),this.stage.dirty=!0;let e=performance.now();(!this.playing||e-(this.told??0)>90)&&this.tell(e)}tell(t){this.told=t;let e=this.film.end-this.film.start;e>0&&(this.slider.value=(this.time-this.film.start)/e),this.clock.textContent=`${this.time.toFixed(e<1?4:2)} s`;for(let n of this.listeners)n(this.time)}toggle(){this.playing?this.pause():this.play()}play(){!this.film||this.film.n<2||(this.time>=this.film.end&&this.seek(this.film.start),this.playing=!0,this.button.dataset.state="playing",this.last=performance.now())}pause(){this.playing=!1,this.button.dataset.state="",this.film&&this.seek(this.time)}draw(t=!1){let e=performance.now(),n=this.film.show(this.time,this.exaggerate);this.shapes.draw(n),this.ghost&&this.ghost.shapes.draw(this.ghost.film.show(this.time,this.exaggerate));let[s]=this.film.locate(this.time);for(let r of this.lines)r.reach(s);this.stage.render(t),this.drawn=e,this.stats.frames+=1,this.stats.script+=performance.now()-e}};function $p(i){for(let t of Zp)if(!(!t.host.isConnected||!t.film)){if(t.playing){let e=t.time+t.speed*Math.max(0,i-t.last)/1e3;t.last=i,t.seek(e>=t.film.end?t.film.start:e)}t.visible&&t.stage.dirty?t.draw():t.visible&&t.stage.unsharp&&!t.playing&&performance.now()-t.drawn>150&&t.draw(!0)}requestAnimationFrame($p)}var tM="uplot",eM="u-hz",nM="u-vt",iM="u-title",sM="u-wrap",rM="u-under",aM="u-over",oM="u-axis",sr="u-off",lM="u-select",cM="u-cursor-x",hM="u-cursor-y",uM="u-cursor-pt",dM="u-legend",fM="u-live",pM="u-inline",mM="u-series",gM="u-marker",Jp="u-label",_M="u-value",So="width",Mo="height";var Kp="bottom",ia="left",Ou="right",td="#000",jp=td+"0",Bu="mousemove",Qp="mousedown",zu="mouseup",tm="mouseenter",em="mouseleave",nm="dblclick",xM="resize",yM="scroll",im="change",zc="dppxchange",ed="--",ha=typeof window<"u",Wu=ha?document:null,ra=ha?window:null,vM=ha?navigator:null,we,Uc;function Xu(){let i=devicePixelRatio;we!=i&&(we=i,Uc&&Yu(im,Uc,Xu),Uc=matchMedia(`(min-resolution: ${we-.001}dppx) and (max-resolution: ${we+.001}dppx)`),rr(im,Uc,Xu),ra.dispatchEvent(new CustomEvent(zc)))}function si(i,t){if(t!=null){let e=i.classList;!e.contains(t)&&e.add(t)}}function qu(i,t){let e=i.classList;e.contains(t)&&e.remove(t)}function Ve(i,t,e){i.style[t]=e+"px"}function Ei(i,t,e,n){let s=Wu.createElement(i);return t!=null&&si(s,t),e?.insertBefore(s,n),s}function di(i,t){return Ei("div",i,t)}var sm=new WeakMap;function qi(i,t,e,n,s){let r="translate("+t+"px,"+e+"px)",a=sm.get(i);r!=a&&(i.style.transform=r,sm.set(i,r),t<0||e<0||t>n||e>s?si(i,sr):qu(i,sr))}var rm=new WeakMap;function am(i,t,e){let n=t+e,s=rm.get(i);n!=s&&(rm.set(i,n),i.style.background=t,i.style.borderColor=e)}var om=new WeakMap;function lm(i,t,e,n){let s=t+""+e,r=om.get(i);s!=r&&(om.set(i,s),i.style.height=e+"px",i.style.width=t+"px",i.style.marginLeft=n?-t/2+"px":0,i.style.marginTop=n?-e/2+"px":0)}var nd={passive:!0},SM={...nd,capture:!0};function rr(i,t,e,n){t.addEventListener(i,e,n?SM:nd)}function Yu(i,t,e,n){t.removeEventListener(i,e,nd)}ha&&Xu();function Ti(i,t,e,n){let s;e=e||0,n=n||t.length-1;let r=n<=2147483647;for(;n-e>1;)s=r?e+n>>1:ri((e+n)/2),t[s]<i?e=s:n=s;return i-t[e]<=t[n]-i?e:n}function Fm(i){return(e,n,s)=>{let r=-1,a=-1;for(let o=n;o<=s;o++)if(i(e[o])){r=o;break}for(let o=s;o>=n;o--)if(i(e[o])){a=o;break}return[r,a]}}var Om=i=>i!=null,Bm=i=>i!=null&&i>0,Gc=Fm(Om),MM=Fm(Bm);function bM(i,t,e,n=0,s=!1){let r=s?MM:Gc,a=s?Bm:Om;[t,e]=r(i,t,e);let o=i[t],l=i[t];if(t>-1)if(n==1)o=i[t],l=i[e];else if(n==-1)o=i[e],l=i[t];else for(let c=t;c<=e;c++){let u=i[c];a(u)&&(u<o?o=u:u>l&&(l=u))}return[o??De,l??-De]}function Hc(i,t,e,n){let s=um(i),r=um(t);i==t&&(s==-1?(i*=e,t/=e):(i/=e,t*=e));let a=e==10?hs:zm,o=s==1?ri:fi,l=r==1?fi:ri,c=o(a(_n(i))),u=l(a(_n(t))),d=aa(e,c),h=aa(e,u);return e==10&&(c<0&&(d=Ne(d,-c)),u<0&&(h=Ne(h,-u))),n||e==2?(i=d*s,t=h*r):(i=Hm(i,d),t=Wc(t,h)),[i,t]}function id(i,t,e,n){let s=Hc(i,t,e,n);return i==0&&(s[0]=0),t==0&&(s[1]=0),s}var sd=.1,cm={mode:3,pad:sd},wo={pad:0,soft:null,mode:0},wM={min:wo,max:wo};function kc(i,t,e,n){return Xc(e)?hm(i,t,e):(wo.pad=e,wo.soft=n?0:null,wo.mode=n?3:0,hm(i,t,wM))}function Se(i,t){return i??t}function EM(i,t,e){for(t=Se(t,0),e=Se(e,i.length-1);t<=e;){if(i[t]!=null)return!0;t++}return!1}function hm(i,t,e){let n=e.min,s=e.max,r=Se(n.pad,0),a=Se(s.pad,0),o=Se(n.hard,-De),l=Se(s.hard,De),c=Se(n.soft,De),u=Se(s.soft,-De),d=Se(n.mode,0),h=Se(s.mode,0),f=t-i,p=hs(f),_=Wn(_n(i),_n(t)),g=hs(_),m=_n(g-p);(f<1e-24||m>10)&&(f=0,(i==0||t==0)&&(f=1e-24,d==2&&c!=De&&(r=0),h==2&&u!=-De&&(a=0)));let v=f||_||1e3,A=hs(v),M=aa(10,ri(A)),R=v*(f==0?i==0?.1:1:r),T=Ne(Hm(i-R,M/10),24),x=i>=c&&(d==1||d==3&&T<=c||d==2&&T>=c)?c:De,E=Wn(o,T<x&&i>=x?x:Ai(x,T)),O=v*(f==0?t==0?.1:1:a),N=Ne(Wc(t+O,M/10),24),D=t<=u&&(h==1||h==3&&N>=u||h==2&&N<=u)?u:-De,z=Ai(l,N>D&&t<=D?D:Wn(D,N));return E==z&&E==0&&(z=100),[E,z]}var TM=new Intl.NumberFormat(ha?vM.language:"en-US"),rd=i=>TM.format(i),ai=Math,Bc=ai.PI,_n=ai.abs,ri=ai.floor,gn=ai.round,fi=ai.ceil,Ai=ai.min,Wn=ai.max,aa=ai.pow,um=ai.sign,hs=ai.log10,zm=ai.log2,AM=(i,t=1)=>ai.sinh(i)*t,ku=(i,t=1)=>ai.asinh(i/t),De=1/0;function dm(i){return(hs((i^i>>31)-(i>>31))|0)+1}function Zu(i,t,e){return Ai(Wn(i,t),e)}function km(i){return typeof i=="function"}function _e(i){return km(i)?i:()=>i}var RM=()=>{},Vm=i=>i,Gm=(i,t)=>t,CM=i=>null,fm=i=>!0,pm=(i,t)=>i==t,PM=/\.\d*?(?=9{6,}|0{6,})/gm,ar=i=>{if(Xm(i)||Bs.has(i))return i;let t=`${i}`,e=t.match(PM);if(e==null)return i;let n=e[0].length-1;if(t.indexOf("e-")!=-1){let[s,r]=t.split("e");return+`${ar(s)}e${r}`}return Ne(i,n)};function nr(i,t){return ar(Ne(ar(i/t))*t)}function Wc(i,t){return ar(fi(ar(i/t))*t)}function Hm(i,t){return ar(ri(ar(i/t))*t)}function Ne(i,t=0){if(Xm(i))return i;let e=10**t,n=i*e*(1+Number.EPSILON);return gn(n)/e}var Bs=new Map;function Wm(i){return((""+i).split(".")[1]||"").length}function To(i,t,e,n){let s=[],r=n.map(Wm);for(let a=t;a<e;a++){let o=_n(a),l=Ne(aa(i,a),o);for(let c=0;c<n.length;c++){let u=i==10?+`${n[c]}e${a}`:n[c]*l,d=(a>=0?0:o)+(a>=r[c]?0:r[c]),h=i==10?u:Ne(u,d);s.push(h),Bs.set(h,d)}}return s}var Eo={},ad=[],oa=[null,null],Os=Array.isArray,Xm=Number.isInteger,IM=i=>i===void 0;function mm(i){return typeof i=="string"}function Xc(i){let t=!1;if(i!=null){let e=i.constructor;t=e==null||e==Object}return t}function LM(i){return i!=null&&typeof i=="object"}var DM=Object.getPrototypeOf(Uint8Array),qm="__proto__";function la(i,t=Xc){let e;if(Os(i)){let n=i.find(s=>s!=null);if(Os(n)||t(n)){e=Array(i.length);for(let s=0;s<i.length;s++)e[s]=la(i[s],t)}else e=i.slice()}else if(i instanceof DM)e=i.slice();else if(t(i)){e={};for(let n in i)n!=qm&&(e[n]=la(i[n],t))}else e=i;return e}function cn(i){let t=arguments;for(let e=1;e<t.length;e++){let n=t[e];for(let s in n)s!=qm&&(Xc(i[s])?cn(i[s],la(n[s])):i[s]=la(n[s]))}return i}var NM=0,UM=1,FM=2;function OM(i,t,e){for(let n=0,s,r=-1;n<t.length;n++){let a=t[n];if(a>r){for(s=a-1;s>=0&&i[s]==null;)i[s--]=null;for(s=a+1;s<e&&i[s]==null;)i[r=s++]=null}}}function BM(i,t){if(VM(i)){let a=i[0].slice();for(let o=1;o<i.length;o++)a.push(...i[o].slice(1));return GM(a[0])||(a=kM(a)),a}let e=new Set;for(let a=0;a<i.length;a++){let l=i[a][0],c=l.length;for(let u=0;u<c;u++)e.add(l[u])}let n=[Array.from(e).sort((a,o)=>a-o)],s=n[0].length,r=new Map;for(let a=0;a<s;a++)r.set(n[0][a],a);for(let a=0;a<i.length;a++){let o=i[a],l=o[0];for(let c=1;c<o.length;c++){let u=o[c],d=Array(s).fill(void 0),h=t?t[a][c]:UM,f=[];for(let p=0;p<u.length;p++){let _=u[p],g=r.get(l[p]);_===null?h!=NM&&(d[g]=_,h==FM&&f.push(g)):d[g]=_}OM(d,f,s),n.push(d)}}return n}var zM=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function kM(i){let t=i[0],e=t.length,n=Array(e);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,a)=>t[r]-t[a]);let s=[];for(let r=0;r<i.length;r++){let a=i[r],o=Array(e);for(let l=0;l<e;l++)o[l]=a[n[l]];s.push(o)}return s}function VM(i){let t=i[0][0],e=t.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=e)return!1;if(s!=t){for(let r=0;r<e;r++)if(s[r]!=t[r])return!1}}return!0}function GM(i,t=100){let e=i.length;if(e<=1)return!0;let n=0,s=e-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;let r=Wn(1,ri((s-n+1)/t));for(let a=i[n],o=n+r;o<=s;o+=r){let l=i[o];if(l!=null){if(l<=a)return!1;a=l}}return!0}var Ym=["January","February","March","April","May","June","July","August","September","October","November","December"],Zm=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function $m(i){return i.slice(0,3)}var HM=Zm.map($m),WM=Ym.map($m),XM={MMMM:Ym,MMM:WM,WWWW:Zm,WWW:HM};function vo(i){return(i<10?"0":"")+i}function qM(i){return(i<10?"00":i<100?"0":"")+i}var YM={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,t)=>t.MMMM[i.getMonth()],MMM:(i,t)=>t.MMM[i.getMonth()],MM:i=>vo(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>vo(i.getDate()),D:i=>i.getDate(),WWWW:(i,t)=>t.WWWW[i.getDay()],WWW:(i,t)=>t.WWW[i.getDay()],HH:i=>vo(i.getHours()),H:i=>i.getHours(),h:i=>{let t=i.getHours();return t==0?12:t>12?t-12:t},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>vo(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>vo(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>qM(i.getMilliseconds())};function od(i,t){t=t||XM;let e=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)e.push(s[0][0]=="{"?YM[s[1]]:s[0]);return r=>{let a="";for(let o=0;o<e.length;o++)a+=typeof e[o]=="string"?e[o]:e[o](r,t);return a}}var ZM=new Intl.DateTimeFormat().resolvedOptions().timeZone;function $M(i,t){let e;return t=="UTC"||t=="Etc/UTC"?e=new Date(+i+i.getTimezoneOffset()*6e4):t==ZM?e=i:(e=new Date(i.toLocaleString("en-US",{timeZone:t})),e.setMilliseconds(i.getMilliseconds())),e}var Jm=i=>i%1==0,Vc=[1,2,2.5,5],JM=To(10,-32,0,Vc),Km=To(10,0,32,Vc),KM=Km.filter(Jm),ir=JM.concat(Km),ld=`
`,jm="{YYYY}",gm=ld+jm,Qm="{M}/{D}",bo=ld+Qm,Fc=bo+"/{YY}",tg="{aa}",jM="{h}:{mm}",sa=jM+tg,_m=ld+sa,xm=":{ss}",Te=null;function eg(i){let t=i*1e3,e=t*60,n=e*60,s=n*24,r=s*30,a=s*365,l=(i==1?To(10,0,3,Vc).filter(Jm):To(10,-3,0,Vc)).concat([t,t*5,t*10,t*15,t*30,e,e*5,e*10,e*15,e*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,a,a*2,a*5,a*10,a*25,a*50,a*100]),c=[[a,jm,Te,Te,Te,Te,Te,Te,1],[s*28,"{MMM}",gm,Te,Te,Te,Te,Te,1],[s,Qm,gm,Te,Te,Te,Te,Te,1],[n,"{h}"+tg,Fc,Te,bo,Te,Te,Te,1],[e,sa,Fc,Te,bo,Te,Te,Te,1],[t,xm,Fc+" "+sa,Te,bo+" "+sa,Te,_m,Te,1],[i,xm+".{fff}",Fc+" "+sa,Te,bo+" "+sa,Te,_m,Te,1]];function u(d){return(h,f,p,_,g,m)=>{let v=[],A=g>=a,M=g>=r&&g<a,R=d(p),T=Ne(R*i,3),x=Vu(R.getFullYear(),A?0:R.getMonth(),M||A?1:R.getDate()),E=Ne(x*i,3);if(M||A){let O=M?g/r:0,N=A?g/a:0,D=T==E?T:Ne(Vu(x.getFullYear()+N,x.getMonth()+O,1)*i,3),z=new Date(gn(D/i)),G=z.getFullYear(),L=z.getMonth();for(let H=0;D<=_;H++){let Y=Vu(G+N*H,L+O*H,1),V=Y-d(Ne(Y*i,3));D=Ne((+Y+V)*i,3),D<=_&&v.push(D)}}else{let O=g>=s?s:g,N=ri(p)-ri(T),D=E+N+Wc(T-E,O);v.push(D);let z=d(D),G=z.getHours()+z.getMinutes()/e+z.getSeconds()/n,L=g/n,H=h.axes[f]._space,Y=m/H;for(;D=Ne(D+g,i==1?0:3),!(D>_);)if(L>1){let V=ri(Ne(G+L,6))%24,j=d(D).getHours()-V;j>1&&(j=-1),D-=j*n,G=(G+L)%24;let it=v[v.length-1];Ne((D-it)/g,3)*Y>=.7&&v.push(D)}else v.push(D)}return v}}return[l,c,u]}var[QM,tb,eb]=eg(1),[nb,ib,sb]=eg(.001);To(2,-53,53,[1]);function ym(i,t){return i.map(e=>e.map((n,s)=>s==0||s==8||n==null?n:t(s==1||e[8]==0?n:e[1]+n)))}function vm(i,t){return(e,n,s,r,a)=>{let o=t.find(p=>a>=p[0])||t[t.length-1],l,c,u,d,h,f;return n.map(p=>{let _=i(p),g=_.getFullYear(),m=_.getMonth(),v=_.getDate(),A=_.getHours(),M=_.getMinutes(),R=_.getSeconds(),T=g!=l&&o[2]||m!=c&&o[3]||v!=u&&o[4]||A!=d&&o[5]||M!=h&&o[6]||R!=f&&o[7]||o[1];return l=g,c=m,u=v,d=A,h=M,f=R,T(_)})}}function rb(i,t){let e=od(t);return(n,s,r,a,o)=>s.map(l=>e(i(l)))}function Vu(i,t,e){return new Date(i,t,e)}function Sm(i,t){return t(i)}var ab="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Mm(i,t){return(e,n,s,r)=>r==null?ed:t(i(n))}function ob(i,t){let e=i.series[t];return e.width?e.stroke(i,t):e.points.width?e.points.stroke(i,t):null}function lb(i,t){return i.series[t].fill(i,t)}var cb={show:!0,live:!0,isolate:!1,mount:RM,markers:{show:!0,width:2,stroke:ob,fill:lb,dash:"solid"},idx:null,idxs:null,values:[]};function hb(i,t){let e=i.cursor.points,n=di(),s=e.size(i,t);Ve(n,So,s),Ve(n,Mo,s);let r=s/-2;Ve(n,"marginLeft",r),Ve(n,"marginTop",r);let a=e.width(i,t,s);return a&&Ve(n,"borderWidth",a),n}function ub(i,t){let e=i.series[t].points;return e._fill||e._stroke}function db(i,t){let e=i.series[t].points;return e._stroke||e._fill}function fb(i,t){return i.series[t].points.size}var Gu=[0,0];function pb(i,t,e){return Gu[0]=t,Gu[1]=e,Gu}function Oc(i,t,e,n=!0){return s=>{s.button==0&&(!n||s.target==t)&&e(s)}}function Hu(i,t,e,n=!0){return s=>{(!n||s.target==t)&&e(s)}}var mb={show:!0,x:!0,y:!0,lock:!1,move:pb,points:{one:!1,show:hb,size:fb,width:0,stroke:db,fill:ub},bind:{mousedown:Oc,mouseup:Oc,click:Oc,dblclick:Oc,mousemove:Hu,mouseleave:Hu,mouseenter:Hu},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,t,e,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},ng={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},cd=cn({},ng,{filter:Gm}),ig=cn({},cd,{size:10}),sg=cn({},ng,{show:!1}),hd='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',rg="bold "+hd,ag=1.5,bm={show:!0,scale:"x",stroke:td,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:rg,side:2,grid:cd,ticks:ig,border:sg,font:hd,lineGap:ag,rotate:0},gb="Value",_b="Time",wm={show:!0,scale:"x",auto:!1,sorted:1,min:De,max:-De,idxs:[]};function xb(i,t,e,n,s){return t.map(r=>r==null?"":rd(r))}function yb(i,t,e,n,s,r,a){let o=[],l=Bs.get(s)||0;e=a?e:Ne(Wc(e,s),l);for(let c=e;c<=n;c=Ne(c+s,l))o.push(Object.is(c,-0)?0:c);return o}function $u(i,t,e,n,s,r,a){let o=[],l=i.scales[i.axes[t].scale].log,c=l==10?hs:zm,u=ri(c(e));s=aa(l,u),l==10&&(s=ir[Ti(s,ir)]);let d=e,h=s*l;l==10&&(h=ir[Ti(h,ir)]);do o.push(d),d=d+s,l==10&&!Bs.has(d)&&(d=Ne(d,Bs.get(s))),d>=h&&(s=d,h=s*l,l==10&&(h=ir[Ti(h,ir)]));while(d<=n);return o}function vb(i,t,e,n,s,r,a){let l=i.scales[i.axes[t].scale].asinh,c=n>l?$u(i,t,Wn(l,e),n,s):[l],u=n>=0&&e<=0?[0]:[];return(e<-l?$u(i,t,Wn(l,-n),-e,s):[l]).reverse().map(h=>-h).concat(u,c)}var og=/./,Sb=/[12357]/,Mb=/[125]/,Em=/1/,Ju=(i,t,e,n)=>i.map((s,r)=>t==4&&s==0||r%n==0&&e.test(s.toExponential()[s<0?1:0])?s:null);function bb(i,t,e,n,s){let r=i.axes[e],a=r.scale,o=i.scales[a],l=i.valToPos,c=r._space,u=l(10,a),d=l(9,a)-u>=c?og:l(7,a)-u>=c?Sb:l(5,a)-u>=c?Mb:Em;if(d==Em){let h=_n(l(1,a)-u);if(h<c)return Ju(t.slice().reverse(),o.distr,d,fi(c/h)).reverse()}return Ju(t,o.distr,d,1)}function wb(i,t,e,n,s){let r=i.axes[e],a=r.scale,o=r._space,l=i.valToPos,c=_n(l(1,a)-l(2,a));return c<o?Ju(t.slice().reverse(),3,og,fi(o/c)).reverse():t}function Eb(i,t,e,n){return n==null?ed:t==null?"":rd(t)}var Tm={show:!0,scale:"y",stroke:td,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:rg,side:3,grid:cd,ticks:ig,border:sg,font:hd,lineGap:ag,rotate:0};function Tb(i,t){let e=3+(i||1)*2;return Ne(e*t,3)}function Ab(i,t){let{scale:e,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],e,!0),a=i.valToPos(s[n[1]],e,!0),o=_n(a-r),l=i.series[t],c=o/(l.points.space*we);return n[1]-n[0]<=c}var Am={scale:null,auto:!0,sorted:0,min:De,max:-De},lg=(i,t,e,n,s)=>s,Rm={show:!0,auto:!0,sorted:0,gaps:lg,alpha:1,facets:[cn({},Am,{scale:"x"}),cn({},Am,{scale:"y"})]},Cm={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:lg,alpha:1,points:{show:Ab,filter:null},values:null,min:De,max:-De,idxs:[],path:null,clip:null};function Rb(i,t,e,n,s){return e/10}var cg={time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Cb=cn({},cg,{time:!1,ori:1}),Pm={};function hg(i,t){let e=Pm[i];return e||(e={key:i,plots:[],sub(n){e.plots.push(n)},unsub(n){e.plots=e.plots.filter(s=>s!=n)},pub(n,s,r,a,o,l,c){for(let u=0;u<e.plots.length;u++)e.plots[u]!=s&&e.plots[u].pub(n,s,r,a,o,l,c)}},i!=null&&(Pm[i]=e)),e}var ca=1,Ku=2;function or(i,t,e){let n=i.mode,s=i.series[t],r=n==2?i._data[t]:i._data,a=i.scales,o=i.bbox,l=r[0],c=n==2?r[1]:r[t],u=n==2?a[s.facets[0].scale]:a[i.series[0].scale],d=n==2?a[s.facets[1].scale]:a[s.scale],h=o.left,f=o.top,p=o.width,_=o.height,g=i.valToPosH,m=i.valToPosV;return u.ori==0?e(s,l,c,u,d,g,m,h,f,p,_,Yc,ua,$c,dg,pg):e(s,l,c,u,d,m,g,f,h,_,p,Zc,da,fd,fg,mg)}function ud(i,t){let e=0,n=0,s=Se(i.bands,ad);for(let r=0;r<s.length;r++){let a=s[r];a.series[0]==t?e=a.dir:a.series[1]==t&&(a.dir==1?n|=1:n|=2)}return[e,n==1?-1:n==2?1:n==3?2:0]}function Pb(i,t,e,n,s){let r=i.mode,a=i.series[t],o=r==2?a.facets[1].scale:a.scale,l=i.scales[o];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function us(i,t,e,n,s,r){return or(i,t,(a,o,l,c,u,d,h,f,p,_,g)=>{let m=a.pxRound,v=c.dir*(c.ori==0?1:-1),A=c.ori==0?ua:da,M,R;v==1?(M=e,R=n):(M=n,R=e);let T=m(d(o[M],c,_,f)),x=m(h(l[M],u,g,p)),E=m(d(o[R],c,_,f)),O=m(h(r==1?u.max:u.min,u,g,p)),N=new Path2D(s);return A(N,E,O),A(N,T,O),A(N,T,x),N})}function qc(i,t,e,n,s,r){let a=null;if(i.length>0){a=new Path2D;let o=t==0?$c:fd,l=e;for(let d=0;d<i.length;d++){let h=i[d];if(h[1]>h[0]){let f=h[0]-l;f>0&&o(a,l,n,f,n+r),l=h[1]}}let c=e+s-l,u=10;c>0&&o(a,l,n-u/2,c,n+r+u)}return a}function Ib(i,t,e){let n=i[i.length-1];n&&n[0]==t?n[1]=e:i.push([t,e])}function dd(i,t,e,n,s,r,a){let o=[],l=i.length;for(let c=s==1?e:n;c>=e&&c<=n;c+=s)if(t[c]===null){let d=c,h=c;if(s==1)for(;++c<=n&&t[c]===null;)h=c;else for(;--c>=e&&t[c]===null;)h=c;let f=r(i[d]),p=h==d?f:r(i[h]),_=d-s;f=a<=0&&_>=0&&_<l?r(i[_]):f;let m=h+s;p=a>=0&&m>=0&&m<l?r(i[m]):p,p>=f&&o.push([f,p])}return o}function Im(i){return i==0?Vm:i==1?gn:t=>nr(t,i)}function ug(i){let t=i==0?Yc:Zc,e=i==0?(s,r,a,o,l,c)=>{s.arcTo(r,a,o,l,c)}:(s,r,a,o,l,c)=>{s.arcTo(a,r,l,o,c)},n=i==0?(s,r,a,o,l)=>{s.rect(r,a,o,l)}:(s,r,a,o,l)=>{s.rect(a,r,l,o)};return(s,r,a,o,l,c=0,u=0)=>{c==0&&u==0?n(s,r,a,o,l):(c=Ai(c,o/2,l/2),u=Ai(u,o/2,l/2),t(s,r+c,a),e(s,r+o,a,r+o,a+l,c),e(s,r+o,a+l,r,a+l,u),e(s,r,a+l,r,a,u),e(s,r,a,r+o,a,c),s.closePath())}}var Yc=(i,t,e)=>{i.moveTo(t,e)},Zc=(i,t,e)=>{i.moveTo(e,t)},ua=(i,t,e)=>{i.lineTo(t,e)},da=(i,t,e)=>{i.lineTo(e,t)},$c=ug(0),fd=ug(1),dg=(i,t,e,n,s,r)=>{i.arc(t,e,n,s,r)},fg=(i,t,e,n,s,r)=>{i.arc(e,t,n,s,r)},pg=(i,t,e,n,s,r,a)=>{i.bezierCurveTo(t,e,n,s,r,a)},mg=(i,t,e,n,s,r,a)=>{i.bezierCurveTo(e,t,s,n,a,r)};function gg(i){return(t,e,n,s,r)=>or(t,e,(a,o,l,c,u,d,h,f,p,_,g)=>{let{pxRound:m,points:v}=a,A,M;c.ori==0?(A=Yc,M=dg):(A=Zc,M=fg);let R=Ne(v.width*we,3),T=(v.size-v.width)/2*we,x=Ne(T*2,3),E=new Path2D,O=new Path2D,{left:N,top:D,width:z,height:G}=t.bbox;$c(O,N-x,D-x,z+x*2,G+x*2);let L=H=>{if(l[H]!=null){let Y=m(d(o[H],c,_,f)),V=m(h(l[H],u,g,p));A(E,Y+T,V),M(E,Y,V,T,0,Bc*2)}};if(r)r.forEach(L);else for(let H=n;H<=s;H++)L(H);return{stroke:R>0?E:null,fill:E,clip:O,flags:ca|Ku}})}function _g(i){return(t,e,n,s,r,a)=>{n!=s&&(r!=n&&a!=n&&i(t,e,n),r!=s&&a!=s&&i(t,e,s),i(t,e,a))}}var Lb=_g(ua),Db=_g(da);function xg(i){let t=Se(i?.alignGaps,0);return(e,n,s,r)=>or(e,n,(a,o,l,c,u,d,h,f,p,_,g)=>{[s,r]=Gc(l,s,r);let m=a.pxRound,v=G=>m(d(G,c,_,f)),A=G=>m(h(G,u,g,p)),M,R;c.ori==0?(M=ua,R=Lb):(M=da,R=Db);let T=c.dir*(c.ori==0?1:-1),x={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:ca},E=x.stroke,O=!1;if(r-s>=_*4){let G=ht=>e.posToVal(ht,c.key,!0),L=null,H=null,Y,V,lt,J=v(o[T==1?s:r]),j=v(o[s]),it=v(o[r]),ut=G(T==1?j+1:it-1);for(let ht=T==1?s:r;ht>=s&&ht<=r;ht+=T){let Q=o[ht],xt=(T==1?Q<ut:Q>ut)?J:v(Q),At=l[ht];xt==J?At!=null?(V=At,L==null?(M(E,xt,A(V)),Y=L=H=V):V<L?L=V:V>H&&(H=V)):At===null&&(O=!0):(L!=null&&R(E,J,A(L),A(H),A(Y),A(V)),At!=null?(V=At,M(E,xt,A(V)),L=H=Y=V):(L=H=null,At===null&&(O=!0)),J=xt,ut=G(J+T))}L!=null&&L!=H&&lt!=J&&R(E,J,A(L),A(H),A(Y),A(V))}else for(let G=T==1?s:r;G>=s&&G<=r;G+=T){let L=l[G];L===null?O=!0:L!=null&&M(E,v(o[G]),A(L))}let[D,z]=ud(e,n);if(a.fill!=null||D!=0){let G=x.fill=new Path2D(E),L=a.fillTo(e,n,a.min,a.max,D),H=A(L),Y=v(o[s]),V=v(o[r]);T==-1&&([V,Y]=[Y,V]),M(G,V,H),M(G,Y,H)}if(!a.spanGaps){let G=[];O&&G.push(...dd(o,l,s,r,T,v,t)),x.gaps=G=a.gaps(e,n,s,r,G),x.clip=qc(G,c.ori,f,p,_,g)}return z!=0&&(x.band=z==2?[us(e,n,s,r,E,-1),us(e,n,s,r,E,1)]:us(e,n,s,r,E,z)),x})}function Nb(i){let t=Se(i.align,1),e=Se(i.ascDesc,!1),n=Se(i.alignGaps,0),s=Se(i.extend,!1);return(r,a,o,l)=>or(r,a,(c,u,d,h,f,p,_,g,m,v,A)=>{[o,l]=Gc(d,o,l);let M=c.pxRound,{left:R,width:T}=r.bbox,x=j=>M(p(j,h,v,g)),E=j=>M(_(j,f,A,m)),O=h.ori==0?ua:da,N={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:ca},D=N.stroke,z=h.dir*(h.ori==0?1:-1),G=E(d[z==1?o:l]),L=x(u[z==1?o:l]),H=L,Y=L;s&&t==-1&&(Y=R,O(D,Y,G)),O(D,L,G);for(let j=z==1?o:l;j>=o&&j<=l;j+=z){let it=d[j];if(it==null)continue;let ut=x(u[j]),ht=E(it);t==1?O(D,ut,G):O(D,H,ht),O(D,ut,ht),G=ht,H=ut}let V=H;s&&t==1&&(V=R+T,O(D,V,G));let[lt,J]=ud(r,a);if(c.fill!=null||lt!=0){let j=N.fill=new Path2D(D),it=c.fillTo(r,a,c.min,c.max,lt),ut=E(it);O(j,V,ut),O(j,Y,ut)}if(!c.spanGaps){let j=[];j.push(...dd(u,d,o,l,z,x,n));let it=c.width*we/2,ut=e||t==1?it:-it,ht=e||t==-1?-it:it;j.forEach(Q=>{Q[0]+=ut,Q[1]+=ht}),N.gaps=j=c.gaps(r,a,o,l,j),N.clip=qc(j,h.ori,g,m,v,A)}return J!=0&&(N.band=J==2?[us(r,a,o,l,D,-1),us(r,a,o,l,D,1)]:us(r,a,o,l,D,J)),N})}function Lm(i,t,e,n,s,r,a=De){if(i.length>1){let o=null;for(let l=0,c=1/0;l<i.length;l++)if(t[l]!==void 0){if(o!=null){let u=_n(i[l]-i[o]);u<c&&(c=u,a=_n(e(i[l],n,s,r)-e(i[o],n,s,r)))}o=l}}return a}function Ub(i){i=i||Eo;let t=Se(i.size,[.6,De,1]),e=i.align||0,n=i.gap||0,s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;let r=_e(s),a=1-t[0],o=Se(t[1],De),l=Se(t[2],1),c=Se(i.disp,Eo),u=Se(i.each,f=>{}),{fill:d,stroke:h}=c;return(f,p,_,g)=>or(f,p,(m,v,A,M,R,T,x,E,O,N,D)=>{let z=m.pxRound,G=e,L=n*we,H=o*we,Y=l*we,V,lt;M.ori==0?[V,lt]=r(f,p):[lt,V]=r(f,p);let J=M.dir*(M.ori==0?1:-1),j=M.ori==0?$c:fd,it=M.ori==0?u:(Ct,Yt,re,bt,Le,kt,Xt)=>{u(Ct,Yt,re,Le,bt,Xt,kt)},ut=Se(f.bands,ad).find(Ct=>Ct.series[0]==p),ht=ut!=null?ut.dir:0,Q=m.fillTo(f,p,m.min,m.max,ht),mt=z(x(Q,R,D,O)),xt,At,Mt,Ht=N,se=z(m.width*we),Vt=!1,he=null,oe=null,ne=null,Ge=null;d!=null&&(se==0||h!=null)&&(Vt=!0,he=d.values(f,p,_,g),oe=new Map,new Set(he).forEach(Ct=>{Ct!=null&&oe.set(Ct,new Path2D)}),se>0&&(ne=h.values(f,p,_,g),Ge=new Map,new Set(ne).forEach(Ct=>{Ct!=null&&Ge.set(Ct,new Path2D)})));let{x0:Ue,size:en}=c;if(Ue!=null&&en!=null){G=1,v=Ue.values(f,p,_,g),Ue.unit==2&&(v=v.map(re=>f.posToVal(E+re*N,M.key,!0)));let Ct=en.values(f,p,_,g);en.unit==2?At=Ct[0]*N:At=T(Ct[0],M,N,E)-T(0,M,N,E),Ht=Lm(v,A,T,M,N,E,Ht),Mt=Ht-At+L}else Ht=Lm(v,A,T,M,N,E,Ht),Mt=Ht*a+L,At=Ht-Mt;Mt<1&&(Mt=0),se>=At/2&&(se=0),Mt<5&&(z=Vm);let Pe=Mt>0,xn=Ht-Mt-(Pe?se:0);At=z(Zu(xn,Y,H)),xt=(G==0?At/2:G==J?0:At)-G*J*((G==0?L/2:0)+(Pe?se/2:0));let xe={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},hn=Vt?null:new Path2D,Ye=null;if(ut!=null)Ye=f.data[ut.series[1]];else{let{y0:Ct,y1:Yt}=c;Ct!=null&&Yt!=null&&(A=Yt.values(f,p,_,g),Ye=Ct.values(f,p,_,g))}let nn=V*At,F=lt*At;for(let Ct=J==1?_:g;Ct>=_&&Ct<=g;Ct+=J){let Yt=A[Ct];if(Yt==null)continue;if(Ye!=null){let X=Ye[Ct]??0;if(Yt-X==0)continue;mt=x(X,R,D,O)}let re=M.distr!=2||c!=null?v[Ct]:Ct,bt=T(re,M,N,E),Le=x(Se(Yt,Q),R,D,O),kt=z(bt-xt),Xt=z(Wn(Le,mt)),C=z(Ai(Le,mt)),S=Xt-C;if(Yt!=null){let X=Yt<0?F:nn,ct=Yt<0?nn:F;Vt?(se>0&&ne[Ct]!=null&&j(Ge.get(ne[Ct]),kt,C+ri(se/2),At,Wn(0,S-se),X,ct),he[Ct]!=null&&j(oe.get(he[Ct]),kt,C+ri(se/2),At,Wn(0,S-se),X,ct)):j(hn,kt,C+ri(se/2),At,Wn(0,S-se),X,ct),it(f,p,Ct,kt-se/2,C,At+se,S)}}return se>0?xe.stroke=Vt?Ge:hn:Vt||(xe._fill=m.width==0?m._fill:m._stroke??m._fill,xe.width=0),xe.fill=Vt?oe:hn,xe})}function Fb(i,t){let e=Se(t?.alignGaps,0);return(n,s,r,a)=>or(n,s,(o,l,c,u,d,h,f,p,_,g,m)=>{[r,a]=Gc(c,r,a);let v=o.pxRound,A=V=>v(h(V,u,g,p)),M=V=>v(f(V,d,m,_)),R,T,x;u.ori==0?(R=Yc,x=ua,T=pg):(R=Zc,x=da,T=mg);let E=u.dir*(u.ori==0?1:-1),O=A(l[E==1?r:a]),N=O,D=[],z=[];for(let V=E==1?r:a;V>=r&&V<=a;V+=E)if(c[V]!=null){let J=l[V],j=A(J);D.push(N=j),z.push(M(c[V]))}let G={stroke:i(D,z,R,x,T,v),fill:null,clip:null,band:null,gaps:null,flags:ca},L=G.stroke,[H,Y]=ud(n,s);if(o.fill!=null||H!=0){let V=G.fill=new Path2D(L),lt=o.fillTo(n,s,o.min,o.max,H),J=M(lt);x(V,N,J),x(V,O,J)}if(!o.spanGaps){let V=[];V.push(...dd(l,c,r,a,E,A,e)),G.gaps=V=o.gaps(n,s,r,a,V),G.clip=qc(V,u.ori,p,_,g,m)}return Y!=0&&(G.band=Y==2?[us(n,s,r,a,L,-1),us(n,s,r,a,L,1)]:us(n,s,r,a,L,Y)),G})}function Ob(i){return Fb(Bb,i)}function Bb(i,t,e,n,s,r){let a=i.length;if(a<2)return null;let o=new Path2D;if(e(o,i[0],t[0]),a==2)n(o,i[1],t[1]);else{let l=Array(a),c=Array(a-1),u=Array(a-1),d=Array(a-1);for(let h=0;h<a-1;h++)u[h]=t[h+1]-t[h],d[h]=i[h+1]-i[h],c[h]=u[h]/d[h];l[0]=c[0];for(let h=1;h<a-1;h++)c[h]===0||c[h-1]===0||c[h-1]>0!=c[h]>0?l[h]=0:(l[h]=3*(d[h-1]+d[h])/((2*d[h]+d[h-1])/c[h-1]+(d[h]+2*d[h-1])/c[h]),isFinite(l[h])||(l[h]=0));l[a-1]=c[a-2];for(let h=0;h<a-1;h++)s(o,i[h]+d[h]/3,t[h]+l[h]*d[h]/3,i[h+1]-d[h]/3,t[h+1]-l[h+1]*d[h]/3,i[h+1],t[h+1])}return o}var ju=new Set;function Dm(){for(let i of ju)i.syncRect(!0)}ha&&(rr(xM,ra,Dm),rr(yM,ra,Dm,!0),rr(zc,ra,()=>{Tn.pxRatio=we}));var zb=xg(),kb=gg();function Nm(i,t,e,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,a)=>Qu(r,a,t,e))}function Vb(i,t){return i.map((e,n)=>n==0?{}:cn({},t,e))}function Qu(i,t,e,n){return cn({},t==0?e:n,i)}function yg(i,t,e){return t==null?oa:[t,e]}var Gb=yg;function Hb(i,t,e){return t==null?oa:kc(t,e,sd,!0)}function vg(i,t,e,n){return t==null?oa:Hc(t,e,i.scales[n].log,!1)}var Wb=vg;function Sg(i,t,e,n){return t==null?oa:id(t,e,i.scales[n].log,!1)}var Xb=Sg;function qb(i,t,e,n,s){let r=Wn(dm(i),dm(t)),a=t-i,o=Ti(s/n*a,e);do{let l=e[o],c=n*l/a;if(c>=s&&r+(l<5?Bs.get(l):0)<=17)return[l,c]}while(++o<e.length);return[0,0]}function Um(i){let t,e;return i=i.replace(/(\d+)px/,(n,s)=>(t=gn((e=+s)*we))+"px"),[i,t,e]}function Yb(i){i.show&&[i.font,i.labelFont].forEach(t=>{let e=Ne(t[2]*we,1);t[0]=t[0].replace(/[0-9.]+px/,e+"px"),t[1]=e})}function Tn(i,t,e){let n={mode:Se(i.mode,1)},s=n.mode;function r(y,b,P,I){let k=b.valToPct(y);return I+P*(b.dir==-1?1-k:k)}function a(y,b,P,I){let k=b.valToPct(y);return I+P*(b.dir==-1?k:1-k)}function o(y,b,P,I){return b.ori==0?r(y,b,P,I):a(y,b,P,I)}n.valToPosH=r,n.valToPosV=a;let l=!1;n.status=0;let c=n.root=di(tM);if(i.id!=null&&(c.id=i.id),si(c,i.class),i.title){let y=di(iM,c);y.textContent=i.title}let u=Ei("canvas"),d=n.ctx=u.getContext("2d"),h=di(sM,c);rr("click",h,y=>{y.target===p&&(Oe!=mr||He!=gr)&&An.click(n,y)},!0);let f=n.under=di(rM,h);h.appendChild(u);let p=n.over=di(aM,h);i=la(i);let _=+Se(i.pxAlign,1),g=Im(_);(i.plugins||[]).forEach(y=>{y.opts&&(i=y.opts(n,i)||i)});let m=i.ms||.001,v=n.series=s==1?Nm(i.series||[],wm,Cm,!1):Vb(i.series||[null],Rm),A=n.axes=Nm(i.axes||[],bm,Tm,!0),M=n.scales={},R=n.bands=i.bands||[];R.forEach(y=>{y.fill=_e(y.fill||null),y.dir=Se(y.dir,-1)});let T=s==2?v[1].facets[0].scale:v[0].scale,x={axes:Ji,series:de},E=(i.drawOrder||["axes","series"]).map(y=>x[y]);function O(y){let b=y.distr==3?P=>hs(P>0?P:y.clamp(n,P,y.min,y.max,y.key)):y.distr==4?P=>ku(P,y.asinh):y.distr==100?P=>y.fwd(P):P=>P;return P=>{let I=b(P),{_min:k,_max:$}=y,at=$-k;return(I-k)/at}}function N(y){let b=M[y];if(b==null){let P=(i.scales||Eo)[y]||Eo;if(P.from!=null){N(P.from);let I=cn({},M[P.from],P,{key:y});I.valToPct=O(I),M[y]=I}else{b=M[y]=cn({},y==T?cg:Cb,P),b.key=y;let I=b.time,k=b.range,$=Os(k);if((y!=T||s==2&&!I)&&($&&(k[0]==null||k[1]==null)&&(k={min:k[0]==null?cm:{mode:1,hard:k[0],soft:k[0]},max:k[1]==null?cm:{mode:1,hard:k[1],soft:k[1]}},$=!1),!$&&Xc(k))){let at=k;k=(dt,vt,Dt)=>vt==null?oa:kc(vt,Dt,at)}b.range=_e(k||(I?Gb:y==T?b.distr==3?Wb:b.distr==4?Xb:yg:b.distr==3?vg:b.distr==4?Sg:Hb)),b.auto=_e($?!1:b.auto),b.clamp=_e(b.clamp||Rb),b._min=b._max=null,b.valToPct=O(b)}}}N("x"),N("y"),s==1&&v.forEach(y=>{N(y.scale)}),A.forEach(y=>{N(y.scale)});for(let y in i.scales)N(y);let D=M[T],z=D.distr,G,L;D.ori==0?(si(c,eM),G=r,L=a):(si(c,nM),G=a,L=r);let H={};for(let y in M){let b=M[y];(b.min!=null||b.max!=null)&&(H[y]={min:b.min,max:b.max},b.min=b.max=null)}let Y=i.tzDate||(y=>new Date(gn(y/m))),V=i.fmtDate||od,lt=m==1?eb(Y):sb(Y),J=vm(Y,ym(m==1?tb:ib,V)),j=Mm(Y,Sm(ab,V)),it=[],ut=n.legend=cn({},cb,i.legend),ht=n.cursor=cn({},mb,{drag:{y:s==2}},i.cursor),Q=ut.show,mt=ht.show,xt=ut.markers;ut.idxs=it,xt.width=_e(xt.width),xt.dash=_e(xt.dash),xt.stroke=_e(xt.stroke),xt.fill=_e(xt.fill);let At,Mt,Ht,se=[],Vt=[],he,oe=!1,ne={};if(ut.live){let y=v[1]?v[1].values:null;oe=y!=null,he=oe?y(n,1,0):{_:0};for(let b in he)ne[b]=ed}if(Q)if(At=Ei("table",dM,c),Ht=Ei("tbody",null,At),ut.mount(n,At),oe){Mt=Ei("thead",null,At,Ht);let y=Ei("tr",null,Mt);Ei("th",null,y);for(var Ge in he)Ei("th",Jp,y).textContent=Ge}else si(At,pM),ut.live&&si(At,fM);let Ue={show:!0},en={show:!1};function Pe(y,b){if(b==0&&(oe||!ut.live||s==2))return oa;let P=[],I=Ei("tr",mM,Ht,Ht.childNodes[b]);si(I,y.class),y.show||si(I,sr);let k=Ei("th",null,I);if(xt.show){let dt=di(gM,k);if(b>0){let vt=xt.width(n,b);vt&&(dt.style.border=vt+"px "+xt.dash(n,b)+" "+xt.stroke(n,b)),dt.style.background=xt.fill(n,b)}}let $=di(Jp,k);y.label instanceof HTMLElement?$.appendChild(y.label):$.textContent=y.label,b>0&&(xt.show||($.style.color=y.width>0?xt.stroke(n,b):xt.fill(n,b)),xe("click",k,dt=>{if(ht._lock)return;$t(dt);let vt=v.indexOf(y);if((dt.ctrlKey||dt.metaKey)!=ut.isolate){let Dt=v.some((Nt,Ft)=>Ft>0&&Ft!=vt&&Nt.show);v.forEach((Nt,Ft)=>{Ft>0&&Ii(Ft,Dt?Ft==vt?Ue:en:Ue,!0,on.setSeries)})}else Ii(vt,{show:!y.show},!0,on.setSeries)},!1),Jt&&xe(tm,k,dt=>{ht._lock||($t(dt),Ii(v.indexOf(y),xr,!0,on.setSeries))},!1));for(var at in he){let dt=Ei("td",_M,I);dt.textContent="--",P.push(dt)}return[I,P]}let xn=new Map;function xe(y,b,P,I=!0){let k=xn.get(b)||{},$=ht.bind[y](n,b,P,I);$&&(rr(y,b,k[y]=$),xn.set(b,k))}function hn(y,b,P){let I=xn.get(b)||{};for(let k in I)(y==null||k==y)&&(Yu(k,b,I[k]),delete I[k]);y==null&&xn.delete(b)}let Ye=0,nn=0,F=0,Ct=0,Yt=0,re=0,bt=Yt,Le=re,kt=F,Xt=Ct,C=0,S=0,X=0,ct=0;n.bbox={};let rt=!1,_t=!1,yt=!1,tt=!1,nt=!1,ft=!1;function U(y,b,P){(P||y!=n.width||b!=n.height)&&st(y,b),le(!1),yt=!0,_t=!0,Pn()}function st(y,b){n.width=Ye=F=y,n.height=nn=Ct=b,Yt=re=0,St(),Gt();let P=n.bbox;C=P.left=nr(Yt*we,.5),S=P.top=nr(re*we,.5),X=P.width=nr(F*we,.5),ct=P.height=nr(Ct*we,.5)}let et=3;function wt(){let y=!1,b=0;for(;!y;){b++;let P=dr(b),I=Pi(b);y=b==et||P&&I,y||(st(n.width,n.height),_t=!0)}}function gt({width:y,height:b}){U(y,b)}n.setSize=gt;function St(){let y=!1,b=!1,P=!1,I=!1;A.forEach((k,$)=>{if(k.show&&k._show){let{side:at,_size:dt}=k,vt=at%2,Dt=k.label!=null?k.labelSize:0,Nt=dt+Dt;Nt>0&&(vt?(F-=Nt,at==3?(Yt+=Nt,I=!0):P=!0):(Ct-=Nt,at==0?(re+=Nt,y=!0):b=!0))}}),Ri[0]=y,Ri[1]=P,Ri[2]=b,Ri[3]=I,F-=pi[1]+pi[3],Yt+=pi[3],Ct-=pi[2]+pi[0],re+=pi[0]}function Gt(){let y=Yt+F,b=re+Ct,P=Yt,I=re;function k($,at){switch($){case 1:return y+=at,y-at;case 2:return b+=at,b-at;case 3:return P-=at,P+at;case 0:return I-=at,I+at}}A.forEach(($,at)=>{if($.show&&$._show){let dt=$.side;$._pos=k(dt,$._size),$.label!=null&&($._lpos=k(dt,$.labelSize))}})}if(ht.dataIdx==null){let y=ht.hover,b=y.skip=new Set(y.skip??[]);b.add(void 0);let P=y.prox=_e(y.prox),I=y.bias??=0;ht.dataIdx=(k,$,at,dt)=>{if($==0)return at;let vt=at,Dt=P(k,$,at,dt)??De,Nt=Dt>=0&&Dt<De,Ft=D.ori==0?F:Ct,ie=ht.left,Me=t[0],ve=t[$];if(b.has(ve[at])){vt=null;let pe=null,Zt=null,Wt;if(I==0||I==-1)for(Wt=at;pe==null&&Wt-- >0;)b.has(ve[Wt])||(pe=Wt);if(I==0||I==1)for(Wt=at;Zt==null&&Wt++<ve.length;)b.has(ve[Wt])||(Zt=Wt);if(pe!=null||Zt!=null)if(Nt){let ze=pe==null?-1/0:G(Me[pe],D,Ft,0),Je=Zt==null?1/0:G(Me[Zt],D,Ft,0),Mn=ie-ze,Ie=Je-ie;Mn<=Ie?Mn<=Dt&&(vt=pe):Ie<=Dt&&(vt=Zt)}else vt=Zt==null?pe:pe==null?Zt:at-pe<=Zt-at?pe:Zt}else Nt&&_n(ie-G(Me[at],D,Ft,0))>Dt&&(vt=null);return vt}}let $t=y=>{ht.event=y};ht.idxs=it,ht._lock=!1;let ot=ht.points;ot.show=_e(ot.show),ot.size=_e(ot.size),ot.stroke=_e(ot.stroke),ot.width=_e(ot.width),ot.fill=_e(ot.fill);let Ot=n.focus=cn({},i.focus||{alpha:.3},ht.focus),Jt=Ot.prox>=0,Rt=Jt&&ot.one,ae=[],Fe=[],Nn=[];function pa(y,b){let P=ot.show(n,b);if(P instanceof HTMLElement)return si(P,uM),si(P,y.class),qi(P,-10,-10,F,Ct),p.insertBefore(P,ae[b]),P}function cr(y,b){if(s==1||b>0){let P=s==1&&M[y.scale].time,I=y.value;y.value=P?mm(I)?Mm(Y,Sm(I,V)):I||j:I||Eb,y.label=y.label||(P?_b:gb)}if(Rt||b>0){y.width=y.width==null?1:y.width,y.paths=y.paths||zb||CM,y.fillTo=_e(y.fillTo||Pb),y.pxAlign=+Se(y.pxAlign,_),y.pxRound=Im(y.pxAlign),y.stroke=_e(y.stroke||null),y.fill=_e(y.fill||null),y._stroke=y._fill=y._paths=y._focus=null;let P=Tb(Wn(1,y.width),1),I=y.points=cn({},{size:P,width:Wn(1,P*.2),stroke:y.stroke,space:P*2,paths:kb,_stroke:null,_fill:null},y.points);I.show=_e(I.show),I.filter=_e(I.filter),I.fill=_e(I.fill),I.stroke=_e(I.stroke),I.paths=_e(I.paths),I.pxAlign=y.pxAlign}if(Q){let P=Pe(y,b);se.splice(b,0,P[0]),Vt.splice(b,0,P[1]),ut.values.push(null)}if(mt){it.splice(b,0,null);let P=null;Rt?b==0&&(P=pa(y,b)):b>0&&(P=pa(y,b)),ae.splice(b,0,P),Fe.splice(b,0,0),Nn.splice(b,0,0)}Sn("addSeries",b)}function Qc(y,b){b=b??v.length,y=s==1?Qu(y,b,wm,Cm):Qu(y,b,{},Rm),v.splice(b,0,y),cr(v[b],b)}n.addSeries=Qc;function Ro(y){if(v.splice(y,1),Q){ut.values.splice(y,1),Vt.splice(y,1);let b=se.splice(y,1)[0];hn(null,b.firstChild),b.remove()}mt&&(it.splice(y,1),ae.splice(y,1)[0].remove(),Fe.splice(y,1),Nn.splice(y,1)),Sn("delSeries",y)}n.delSeries=Ro;let Ri=[!1,!1,!1,!1];function Yi(y,b){if(y._show=y.show,y.show){let P=y.side%2,I=M[y.scale];I==null&&(y.scale=P?v[1].scale:T,I=M[y.scale]);let k=I.time;y.size=_e(y.size),y.space=_e(y.space),y.rotate=_e(y.rotate),Os(y.incrs)&&y.incrs.forEach(at=>{!Bs.has(at)&&Bs.set(at,Wm(at))}),y.incrs=_e(y.incrs||(I.distr==2?KM:k?m==1?QM:nb:ir)),y.splits=_e(y.splits||(k&&I.distr==1?lt:I.distr==3?$u:I.distr==4?vb:yb)),y.stroke=_e(y.stroke),y.grid.stroke=_e(y.grid.stroke),y.ticks.stroke=_e(y.ticks.stroke),y.border.stroke=_e(y.border.stroke);let $=y.values;y.values=Os($)&&!Os($[0])?_e($):k?Os($)?vm(Y,ym($,V)):mm($)?rb(Y,$):$||J:$||xb,y.filter=_e(y.filter||(I.distr>=3&&I.log==10?bb:I.distr==3&&I.log==2?wb:Gm)),y.font=Um(y.font),y.labelFont=Um(y.labelFont),y._size=y.size(n,null,b,0),y._space=y._rotate=y._incrs=y._found=y._splits=y._values=null,y._size>0&&(Ri[b]=!0,y._el=di(oM,h))}}function Zi(y,b,P,I){let[k,$,at,dt]=P,vt=b%2,Dt=0;return vt==0&&(dt||$)&&(Dt=b==0&&!k||b==2&&!at?gn(bm.size/3):0),vt==1&&(k||at)&&(Dt=b==1&&!$||b==3&&!dt?gn(Tm.size/2):0),Dt}let ma=n.padding=(i.padding||[Zi,Zi,Zi,Zi]).map(y=>_e(Se(y,Zi))),pi=n._padding=ma.map((y,b)=>y(n,b,Ri,0)),Ze,Qe=null,tn=null,Ci=s==1?v[0].idxs:null,Yn=null,fs=!1;function ga(y,b){if(t=y??[],n.data=n._data=t,s==2){Ze=0;for(let P=1;P<v.length;P++)Ze+=t[P][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),Yn=t[0],Ze=Yn.length;let P=t;if(z==2){P=t.slice();let I=P[0]=Array(Ze);for(let k=0;k<Ze;k++)I[k]=k}n._data=t=P}if(le(!0),Sn("setData"),z==2&&(yt=!0),b!==!1){let P=D;P.auto(n,fs)?_a():gs(T,P.min,P.max),tt=tt||ht.left>=0,ft=!0,Pn()}}n.setData=ga;function _a(){fs=!0;let y,b;s==1&&(Ze>0?(Qe=Ci[0]=0,tn=Ci[1]=Ze-1,y=t[0][Qe],b=t[0][tn],z==2?(y=Qe,b=tn):y==b&&(z==3?[y,b]=Hc(y,y,D.log,!1):z==4?[y,b]=id(y,y,D.log,!1):D.time?b=y+gn(86400/m):[y,b]=kc(y,b,sd,!0))):(Qe=Ci[0]=y=null,tn=Ci[1]=b=null)),gs(T,y,b)}let hr,ps,ur,w,B,K,q,Z,Et,Pt;function Tt(y,b,P,I,k,$){y??=jp,P??=ad,I??="butt",k??=jp,$??="round",y!=hr&&(d.strokeStyle=hr=y),k!=ps&&(d.fillStyle=ps=k),b!=ur&&(d.lineWidth=ur=b),$!=B&&(d.lineJoin=B=$),I!=K&&(d.lineCap=K=I),P!=w&&d.setLineDash(w=P)}function It(y,b,P,I){b!=ps&&(d.fillStyle=ps=b),y!=q&&(d.font=q=y),P!=Z&&(d.textAlign=Z=P),I!=Et&&(d.textBaseline=Et=I)}function zt(y,b,P,I,k=0){if(I.length>0&&y.auto(n,fs)&&(b==null||b.min==null)){let $=Se(Qe,0),at=Se(tn,I.length-1),dt=P.min==null?bM(I,$,at,k,y.distr==3):[P.min,P.max];y.min=Ai(y.min,P.min=dt[0]),y.max=Wn(y.max,P.max=dt[1])}}let jt={min:null,max:null};function ue(){for(let I in M){let k=M[I];H[I]==null&&(k.min==null||H[T]!=null&&k.auto(n,fs))&&(H[I]=jt)}for(let I in M){let k=M[I];H[I]==null&&k.from!=null&&H[k.from]!=null&&(H[I]=jt)}H[T]!=null&&le(!0);let y={};for(let I in H){let k=H[I];if(k!=null){let $=y[I]=la(M[I],LM);if(k.min!=null)cn($,k);else if(I!=T||s==2)if(Ze==0&&$.from==null){let at=$.range(n,null,null,I);$.min=at[0],$.max=at[1]}else $.min=De,$.max=-De}}if(Ze>0){v.forEach((I,k)=>{if(s==1){let $=I.scale,at=H[$];if(at==null)return;let dt=y[$];if(k==0){let vt=dt.range(n,dt.min,dt.max,$);dt.min=vt[0],dt.max=vt[1],Qe=Ti(dt.min,t[0]),tn=Ti(dt.max,t[0]),tn-Qe>1&&(t[0][Qe]<dt.min&&Qe++,t[0][tn]>dt.max&&tn--),I.min=Yn[Qe],I.max=Yn[tn]}else I.show&&I.auto&&zt(dt,at,I,t[k],I.sorted);I.idxs[0]=Qe,I.idxs[1]=tn}else if(k>0&&I.show&&I.auto){let[$,at]=I.facets,dt=$.scale,vt=at.scale,[Dt,Nt]=t[k],Ft=y[dt],ie=y[vt];Ft!=null&&zt(Ft,H[dt],$,Dt,$.sorted),ie!=null&&zt(ie,H[vt],at,Nt,at.sorted),I.min=at.min,I.max=at.max}});for(let I in y){let k=y[I],$=H[I];if(k.from==null&&($==null||$.min==null)){let at=k.range(n,k.min==De?null:k.min,k.max==-De?null:k.max,I);k.min=at[0],k.max=at[1]}}}for(let I in y){let k=y[I];if(k.from!=null){let $=y[k.from];if($.min==null)k.min=k.max=null;else{let at=k.range(n,$.min,$.max,I);k.min=at[0],k.max=at[1]}}}let b={},P=!1;for(let I in y){let k=y[I],$=M[I];if($.min!=k.min||$.max!=k.max){$.min=k.min,$.max=k.max;let at=$.distr;$._min=at==3?hs($.min):at==4?ku($.min,$.asinh):at==100?$.fwd($.min):$.min,$._max=at==3?hs($.max):at==4?ku($.max,$.asinh):at==100?$.fwd($.max):$.max,b[I]=P=!0}}if(P){v.forEach((I,k)=>{s==2?k>0&&b.y&&(I._paths=null):b[I.scale]&&(I._paths=null)});for(let I in b)yt=!0,Sn("setScale",I);mt&&ht.left>=0&&(tt=ft=!0)}for(let I in H)H[I]=null}function Bt(y){let b=Zu(Qe-1,0,Ze-1),P=Zu(tn+1,0,Ze-1);for(;y[b]==null&&b>0;)b--;for(;y[P]==null&&P<Ze-1;)P++;return[b,P]}function de(){if(Ze>0){let y=v.some(b=>b._focus)&&Pt!=Ot.alpha;y&&(d.globalAlpha=Pt=Ot.alpha),v.forEach((b,P)=>{if(P>0&&b.show&&(Xe(P,!1),Xe(P,!0),b._paths==null)){let I=Pt;Pt!=b.alpha&&(d.globalAlpha=Pt=b.alpha);let k=s==2?[0,t[P][0].length-1]:Bt(t[P]);b._paths=b.paths(n,P,k[0],k[1]),Pt!=I&&(d.globalAlpha=Pt=I)}}),v.forEach((b,P)=>{if(P>0&&b.show){let I=Pt;Pt!=b.alpha&&(d.globalAlpha=Pt=b.alpha),b._paths!=null&&Ae(P,!1);{let k=b._paths!=null?b._paths.gaps:null,$=b.points.show(n,P,Qe,tn,k),at=b.points.filter(n,P,$,k);($||at)&&(b.points._paths=b.points.paths(n,P,Qe,tn,at),Ae(P,!0))}Pt!=I&&(d.globalAlpha=Pt=I),Sn("drawSeries",P)}}),y&&(d.globalAlpha=Pt=1)}}function Xe(y,b){let P=b?v[y].points:v[y];P._stroke=P.stroke(n,y),P._fill=P.fill(n,y)}function Ae(y,b){let P=b?v[y].points:v[y],{stroke:I,fill:k,clip:$,flags:at,_stroke:dt=P._stroke,_fill:vt=P._fill,_width:Dt=P.width}=P._paths;Dt=Ne(Dt*we,3);let Nt=null,Ft=Dt%2/2;b&&vt==null&&(vt=Dt>0?"#fff":dt);let ie=P.pxAlign==1&&Ft>0;if(ie&&d.translate(Ft,Ft),!b){let Me=C-Dt/2,ve=S-Dt/2,pe=X+Dt,Zt=ct+Dt;Nt=new Path2D,Nt.rect(Me,ve,pe,Zt)}b?Ut(dt,Dt,P.dash,P.cap,vt,I,k,at,$):Re(y,dt,Dt,P.dash,P.cap,vt,I,k,at,Nt,$),ie&&d.translate(-Ft,-Ft)}function Re(y,b,P,I,k,$,at,dt,vt,Dt,Nt){let Ft=!1;vt!=0&&R.forEach((ie,Me)=>{if(ie.series[0]==y){let ve=v[ie.series[1]],pe=t[ie.series[1]],Zt=(ve._paths||Eo).band;Os(Zt)&&(Zt=ie.dir==1?Zt[0]:Zt[1]);let Wt,ze=null;ve.show&&Zt&&EM(pe,Qe,tn)?(ze=ie.fill(n,Me)||$,Wt=ve._paths.clip):Zt=null,Ut(b,P,I,k,ze,at,dt,vt,Dt,Nt,Wt,Zt),Ft=!0}}),Ft||Ut(b,P,I,k,$,at,dt,vt,Dt,Nt)}let un=ca|Ku;function Ut(y,b,P,I,k,$,at,dt,vt,Dt,Nt,Ft){Tt(y,b,P,I,k),(vt||Dt||Ft)&&(d.save(),vt&&d.clip(vt),Dt&&d.clip(Dt)),Ft?(dt&un)==un?(d.clip(Ft),Nt&&d.clip(Nt),me(k,at),sn(y,$,b)):dt&Ku?(me(k,at),d.clip(Ft),sn(y,$,b)):dt&ca&&(d.save(),d.clip(Ft),Nt&&d.clip(Nt),me(k,at),d.restore(),sn(y,$,b)):(me(k,at),sn(y,$,b)),(vt||Dt||Ft)&&d.restore()}function sn(y,b,P){P>0&&(b instanceof Map?b.forEach((I,k)=>{d.strokeStyle=hr=k,d.stroke(I)}):b!=null&&y&&d.stroke(b))}function me(y,b){b instanceof Map?b.forEach((P,I)=>{d.fillStyle=ps=I,d.fill(P)}):b!=null&&y&&d.fill(b)}function $i(y,b,P,I){let k=A[y],$;if(I<=0)$=[0,0];else{let at=k._space=k.space(n,y,b,P,I),dt=k._incrs=k.incrs(n,y,b,P,I,at);$=qb(b,P,dt,I,at)}return k._found=$}function rn(y,b,P,I,k,$,at,dt,vt,Dt){let Nt=at%2/2;_==1&&d.translate(Nt,Nt),Tt(dt,at,vt,Dt,dt),d.beginPath();let Ft,ie,Me,ve,pe=k+(I==0||I==3?-$:$);P==0?(ie=k,ve=pe):(Ft=k,Me=pe);for(let Zt=0;Zt<y.length;Zt++)b[Zt]!=null&&(P==0?Ft=Me=y[Zt]:ie=ve=y[Zt],d.moveTo(Ft,ie),d.lineTo(Me,ve));d.stroke(),_==1&&d.translate(-Nt,-Nt)}function dr(y){let b=!0;return A.forEach((P,I)=>{if(!P.show)return;let k=M[P.scale];if(k.min==null){P._show&&(b=!1,P._show=!1,le(!1));return}else P._show||(b=!1,P._show=!0,le(!1));let $=P.side,at=$%2,{min:dt,max:vt}=k,[Dt,Nt]=$i(I,dt,vt,at==0?F:Ct);if(Nt==0)return;let Ft=k.distr==2,ie=P._splits=P.splits(n,I,dt,vt,Dt,Nt,Ft),Me=k.distr==2?ie.map(Wt=>Yn[Wt]):ie,ve=k.distr==2?Yn[ie[1]]-Yn[ie[0]]:Dt,pe=P._values=P.values(n,P.filter(n,Me,I,Nt,ve),I,Nt,ve);P._rotate=$==2?P.rotate(n,pe,I,Nt):0;let Zt=P._size;P._size=fi(P.size(n,pe,I,y)),Zt!=null&&P._size!=Zt&&(b=!1)}),b}function Pi(y){let b=!0;return ma.forEach((P,I)=>{let k=P(n,I,Ri,y);k!=pi[I]&&(b=!1),pi[I]=k}),b}function Ji(){for(let y=0;y<A.length;y++){let b=A[y];if(!b.show||!b._show)continue;let P=b.side,I=P%2,k,$,at=b.stroke(n,y),dt=P==0||P==3?-1:1,[vt,Dt]=b._found;if(b.label!=null){let On=b.labelGap*dt,Jn=gn((b._lpos+On)*we);It(b.labelFont[0],at,"center",P==2?"top":Kp),d.save(),I==1?(k=$=0,d.translate(Jn,gn(S+ct/2)),d.rotate((P==3?-Bc:Bc)/2)):(k=gn(C+X/2),$=Jn);let Gs=km(b.label)?b.label(n,y,vt,Dt):b.label;d.fillText(Gs,k,$),d.restore()}if(Dt==0)continue;let Nt=M[b.scale],Ft=I==0?X:ct,ie=I==0?C:S,Me=b._splits,ve=Nt.distr==2?Me.map(On=>Yn[On]):Me,pe=Nt.distr==2?Yn[Me[1]]-Yn[Me[0]]:vt,Zt=b.ticks,Wt=b.border,ze=Zt.show?Zt.size:0,Je=gn(ze*we),Mn=gn((b.alignTo==2?b._size-ze-b.gap:b.gap)*we),Ie=b._rotate*-Bc/180,Ke=g(b._pos*we),Zn=(Je+Mn)*dt,Fn=Ke+Zn;$=I==0?Fn:0,k=I==1?Fn:0;let oi=b.font[0],mi=b.align==1?ia:b.align==2?Ou:Ie>0?ia:Ie<0?Ou:I==0?"center":P==3?Ou:ia,Di=Ie||I==1?"middle":P==2?"top":Kp;It(oi,at,mi,Di);let $n=b.font[1]*b.lineGap,li=Me.map(On=>g(o(On,Nt,Ft,ie))),gi=b._values;for(let On=0;On<gi.length;On++){let Jn=gi[On];if(Jn!=null){I==0?k=li[On]:$=li[On],Jn=""+Jn;let Gs=Jn.indexOf(`
`)==-1?[Jn]:Jn.split(/\n/gm);for(let Bn=0;Bn<Gs.length;Bn++){let Od=Gs[Bn];Ie?(d.save(),d.translate(k,$+Bn*$n),d.rotate(Ie),d.fillText(Od,0,0),d.restore()):d.fillText(Od,k,$+Bn*$n)}}}Zt.show&&rn(li,Zt.filter(n,ve,y,Dt,pe),I,P,Ke,Je,Ne(Zt.width*we,3),Zt.stroke(n,y),Zt.dash,Zt.cap);let Ni=b.grid;Ni.show&&rn(li,Ni.filter(n,ve,y,Dt,pe),I,I==0?2:1,I==0?S:C,I==0?ct:X,Ne(Ni.width*we,3),Ni.stroke(n,y),Ni.dash,Ni.cap),Wt.show&&rn([Ke],[1],I==0?1:0,I==0?1:2,I==1?S:C,I==1?ct:X,Ne(Wt.width*we,3),Wt.stroke(n,y),Wt.dash,Wt.cap)}Sn("drawAxes")}function le(y){v.forEach((b,P)=>{P>0&&(b._paths=null,y&&(s==1?(b.min=null,b.max=null):b.facets.forEach(I=>{I.min=null,I.max=null})))})}let $e=!1,Un=!1,Ce=[];function an(){Un=!1;for(let y=0;y<Ce.length;y++)Sn(...Ce[y]);Ce.length=0}function Pn(){$e||(zM(yd),$e=!0)}function Co(y,b=!1){$e=!0,Un=b,y(n),yd(),b&&Ce.length>0&&queueMicrotask(an)}n.batch=Co;function yd(){if(rt&&(ue(),rt=!1),yt&&(wt(),yt=!1),_t){if(Ve(f,ia,Yt),Ve(f,"top",re),Ve(f,So,F),Ve(f,Mo,Ct),Ve(p,ia,Yt),Ve(p,"top",re),Ve(p,So,F),Ve(p,Mo,Ct),Ve(h,So,Ye),Ve(h,Mo,nn),u.width=gn(Ye*we),u.height=gn(nn*we),A.forEach(({_el:y,_show:b,_size:P,_pos:I,side:k})=>{if(y!=null)if(b){let $=k===3||k===0?P:0,at=k%2==1;Ve(y,at?"left":"top",I-$),Ve(y,at?"width":"height",P),Ve(y,at?"top":"left",at?re:Yt),Ve(y,at?"height":"width",at?Ct:F),qu(y,sr)}else si(y,sr)}),hr=ps=ur=B=K=q=Z=Et=w=null,Pt=1,va(!0),Yt!=bt||re!=Le||F!=kt||Ct!=Xt){le(!1);let y=F/kt,b=Ct/Xt;if(mt&&!tt&&ht.left>=0){ht.left*=y,ht.top*=b,fr&&qi(fr,gn(ht.left),0,F,Ct),pr&&qi(pr,0,gn(ht.top),F,Ct);for(let P=0;P<ae.length;P++){let I=ae[P];I!=null&&(Fe[P]*=y,Nn[P]*=b,qi(I,fi(Fe[P]),fi(Nn[P]),F,Ct))}}if(Be.show&&!nt&&Be.left>=0&&Be.width>0){Be.left*=y,Be.width*=y,Be.top*=b,Be.height*=b;for(let P in rh)Ve(_r,P,Be[P])}bt=Yt,Le=re,kt=F,Xt=Ct}Sn("setSize"),_t=!1}Ye>0&&nn>0&&(d.clearRect(0,0,u.width,u.height),Sn("drawClear"),E.forEach(y=>y()),Sn("draw")),Be.show&&nt&&(Po(Be),nt=!1),mt&&tt&&(Vs(null,!0,!1),tt=!1),ut.show&&ut.live&&ft&&(ih(),ft=!1),l||(l=!0,n.status=1,Sn("ready")),fs=!1,$e=!1}n.redraw=(y,b)=>{yt=b||!1,y!==!1?gs(T,D.min,D.max):Pn()};function th(y,b){let P=M[y];if(P.from==null){if(Ze==0){let I=P.range(n,b.min,b.max,y);b.min=I[0],b.max=I[1]}if(b.min>b.max){let I=b.min;b.min=b.max,b.max=I}if(Ze>1&&b.min!=null&&b.max!=null&&b.max-b.min<1e-16)return;y==T&&P.distr==2&&Ze>0&&(b.min=Ti(b.min,t[0]),b.max=Ti(b.max,t[0]),b.min==b.max&&b.max++),H[y]=b,rt=!0,Pn()}}n.setScale=th;let eh,nh,fr,pr,vd,Sd,mr,gr,Md,bd,Oe,He,ms=!1,An=ht.drag,yn=An.x,vn=An.y;mt&&(ht.x&&(eh=di(cM,p)),ht.y&&(nh=di(hM,p)),D.ori==0?(fr=eh,pr=nh):(fr=nh,pr=eh),Oe=ht.left,He=ht.top);let Be=n.select=cn({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),_r=Be.show?di(lM,Be.over?p:f):null;function Po(y,b){if(Be.show){for(let P in y)Be[P]=y[P],P in rh&&Ve(_r,P,y[P]);b!==!1&&Sn("setSelect")}}n.setSelect=Po;function Fg(y){if(v[y].show)Q&&qu(se[y],sr);else if(Q&&si(se[y],sr),mt){let P=Rt?ae[0]:ae[y];P!=null&&qi(P,-10,-10,F,Ct)}}function gs(y,b,P){th(y,{min:b,max:P})}function Ii(y,b,P,I){b.focus!=null&&Vg(y),b.show!=null&&v.forEach((k,$)=>{$>0&&(y==$||y==null)&&(k.show=b.show,Fg($),s==2?(gs(k.facets[0].scale,null,null),gs(k.facets[1].scale,null,null)):gs(k.scale,null,null),Pn())}),P!==!1&&Sn("setSeries",y,b),I&&Sa("setSeries",n,y,b)}n.setSeries=Ii;function Og(y,b){cn(R[y],b)}function Bg(y,b){y.fill=_e(y.fill||null),y.dir=Se(y.dir,-1),b=b??R.length,R.splice(b,0,y)}function zg(y){y==null?R.length=0:R.splice(y,1)}n.addBand=Bg,n.setBand=Og,n.delBand=zg;function kg(y,b){v[y].alpha=b,mt&&ae[y]!=null&&(ae[y].style.opacity=b),Q&&se[y]&&(se[y].style.opacity=b)}let Ki,_s,ks,xr={focus:!0};function Vg(y){if(y!=ks){let b=y==null,P=Ot.alpha!=1;v.forEach((I,k)=>{if(s==1||k>0){let $=b||k==0||k==y;I._focus=b?null:$,P&&kg(k,$?1:Ot.alpha)}}),ks=y,P&&Pn()}}Q&&Jt&&xe(em,At,y=>{ht._lock||($t(y),ks!=null&&Ii(null,xr,!0,on.setSeries))});function Li(y,b,P){let I=M[b];P&&(y=y/we-(I.ori==1?re:Yt));let k=F;I.ori==1&&(k=Ct,y=k-y),I.dir==-1&&(y=k-y);let $=I._min,at=I._max,dt=y/k,vt=$+(at-$)*dt,Dt=I.distr;return Dt==3?aa(10,vt):Dt==4?AM(vt,I.asinh):Dt==100?I.bwd(vt):vt}function Gg(y,b){let P=Li(y,T,b);return Ti(P,t[0],Qe,tn)}n.valToIdx=y=>Ti(y,t[0]),n.posToIdx=Gg,n.posToVal=Li,n.valToPos=(y,b,P)=>M[b].ori==0?r(y,M[b],P?X:F,P?C:0):a(y,M[b],P?ct:Ct,P?S:0),n.setCursor=(y,b,P)=>{Oe=y.left,He=y.top,Vs(null,b,P)};function wd(y,b){Ve(_r,ia,Be.left=y),Ve(_r,So,Be.width=b)}function Ed(y,b){Ve(_r,"top",Be.top=y),Ve(_r,Mo,Be.height=b)}let xa=D.ori==0?wd:Ed,ya=D.ori==1?wd:Ed;function Hg(){if(Q&&ut.live)for(let y=s==2?1:0;y<v.length;y++){if(y==0&&oe)continue;let b=ut.values[y],P=0;for(let I in b)Vt[y][P++].firstChild.nodeValue=b[I]}}function ih(y,b){if(y!=null&&(y.idxs?y.idxs.forEach((P,I)=>{it[I]=P}):IM(y.idx)||it.fill(y.idx),ut.idx=it[0]),Q&&ut.live){for(let P=0;P<v.length;P++)(P>0||s==1&&!oe)&&Wg(P,it[P]);Hg()}ft=!1,b!==!1&&Sn("setLegend")}n.setLegend=ih;function Wg(y,b){let P=v[y],I=y==0&&z==2?Yn:t[y],k;oe?k=P.values(n,y,b)??ne:(k=P.value(n,b==null?null:I[b],y,b),k=k==null?ne:{_:k}),ut.values[y]=k}function Vs(y,b,P){Md=Oe,bd=He,[Oe,He]=ht.move(n,Oe,He),ht.left=Oe,ht.top=He,mt&&(fr&&qi(fr,gn(Oe),0,F,Ct),pr&&qi(pr,0,gn(He),F,Ct));let I,k=Qe>tn;Ki=De,_s=null;let $=D.ori==0?F:Ct,at=D.ori==1?F:Ct;if(Oe<0||Ze==0||k){I=ht.idx=null;for(let dt=0;dt<v.length;dt++){let vt=ae[dt];vt!=null&&qi(vt,-10,-10,F,Ct)}Jt&&Ii(null,xr,!0,y==null&&on.setSeries),ut.live&&(it.fill(I),ft=!0)}else{let dt,vt,Dt;s==1&&(dt=D.ori==0?Oe:He,vt=Li(dt,T),I=ht.idx=Ti(vt,t[0],Qe,tn),Dt=G(t[0][I],D,$,0));let Nt=-10,Ft=-10,ie=0,Me=0,ve=!0,pe="",Zt="";for(let Wt=s==2?1:0;Wt<v.length;Wt++){let ze=v[Wt],Je=it[Wt],Mn=Je==null?null:s==1?t[Wt][Je]:t[Wt][1][Je],Ie=ht.dataIdx(n,Wt,I,vt),Ke=Ie==null?null:s==1?t[Wt][Ie]:t[Wt][1][Ie];if(ft=ft||Ke!=Mn||Ie!=Je,it[Wt]=Ie,Wt>0&&ze.show){let Zn=Ie==null?-10:Ie==I?Dt:G(s==1?t[0][Ie]:t[Wt][0][Ie],D,$,0),Fn=Ke==null?-10:L(Ke,s==1?M[ze.scale]:M[ze.facets[1].scale],at,0);if(Jt&&Ke!=null){let oi=D.ori==1?Oe:He,mi=_n(Ot.dist(n,Wt,Ie,Fn,oi));if(mi<Ki){let Di=Ot.bias;if(Di!=0){let $n=Li(oi,ze.scale),li=Ke>=0?1:-1,gi=$n>=0?1:-1;gi==li&&(gi==1?Di==1?Ke>=$n:Ke<=$n:Di==1?Ke<=$n:Ke>=$n)&&(Ki=mi,_s=Wt)}else Ki=mi,_s=Wt}}if(ft||Rt){let oi,mi;D.ori==0?(oi=Zn,mi=Fn):(oi=Fn,mi=Zn);let Di,$n,li,gi,Ni,On,Jn=!0,Gs=ot.bbox;if(Gs!=null){Jn=!1;let Bn=Gs(n,Wt);li=Bn.left,gi=Bn.top,Di=Bn.width,$n=Bn.height}else li=oi,gi=mi,Di=$n=ot.size(n,Wt);if(On=ot.fill(n,Wt),Ni=ot.stroke(n,Wt),Rt)Wt==_s&&Ki<=Ot.prox&&(Nt=li,Ft=gi,ie=Di,Me=$n,ve=Jn,pe=On,Zt=Ni);else{let Bn=ae[Wt];Bn!=null&&(Fe[Wt]=li,Nn[Wt]=gi,lm(Bn,Di,$n,Jn),am(Bn,On,Ni),qi(Bn,fi(li),fi(gi),F,Ct))}}}}if(Rt){let Wt=Ot.prox,ze=ks==null?Ki<=Wt:Ki>Wt||_s!=ks;if(ft||ze){let Je=ae[0];Je!=null&&(Fe[0]=Nt,Nn[0]=Ft,lm(Je,ie,Me,ve),am(Je,pe,Zt),qi(Je,fi(Nt),fi(Ft),F,Ct))}}}if(Be.show&&ms)if(y!=null){let[dt,vt]=on.scales,[Dt,Nt]=on.match,[Ft,ie]=y.cursor.sync.scales,Me=y.cursor.drag;if(yn=Me._x,vn=Me._y,yn||vn){let{left:ve,top:pe,width:Zt,height:Wt}=y.select,ze=y.scales[Ft].ori,Je=y.posToVal,Mn,Ie,Ke,Zn,Fn,oi=dt!=null&&Dt(dt,Ft),mi=vt!=null&&Nt(vt,ie);oi&&yn?(ze==0?(Mn=ve,Ie=Zt):(Mn=pe,Ie=Wt),Ke=M[dt],Zn=G(Je(Mn,Ft),Ke,$,0),Fn=G(Je(Mn+Ie,Ft),Ke,$,0),xa(Ai(Zn,Fn),_n(Fn-Zn))):xa(0,$),mi&&vn?(ze==1?(Mn=ve,Ie=Zt):(Mn=pe,Ie=Wt),Ke=M[vt],Zn=L(Je(Mn,ie),Ke,at,0),Fn=L(Je(Mn+Ie,ie),Ke,at,0),ya(Ai(Zn,Fn),_n(Fn-Zn))):ya(0,at)}else ah()}else{let dt=_n(Md-vd),vt=_n(bd-Sd);if(D.ori==1){let ie=dt;dt=vt,vt=ie}yn=An.x&&dt>=An.dist,vn=An.y&&vt>=An.dist;let Dt=An.uni;Dt!=null?yn&&vn&&(yn=dt>=Dt,vn=vt>=Dt,!yn&&!vn&&(vt>dt?vn=!0:yn=!0)):An.x&&An.y&&(yn||vn)&&(yn=vn=!0);let Nt,Ft;yn&&(D.ori==0?(Nt=mr,Ft=Oe):(Nt=gr,Ft=He),xa(Ai(Nt,Ft),_n(Ft-Nt)),vn||ya(0,at)),vn&&(D.ori==1?(Nt=mr,Ft=Oe):(Nt=gr,Ft=He),ya(Ai(Nt,Ft),_n(Ft-Nt)),yn||xa(0,$)),!yn&&!vn&&(xa(0,0),ya(0,0))}if(An._x=yn,An._y=vn,y==null){if(P){if(Fd!=null){let[dt,vt]=on.scales;on.values[0]=dt!=null?Li(D.ori==0?Oe:He,dt):null,on.values[1]=vt!=null?Li(D.ori==1?Oe:He,vt):null}Sa(Bu,n,Oe,He,F,Ct,I)}if(Jt){let dt=P&&on.setSeries,vt=Ot.prox;ks==null?Ki<=vt&&Ii(_s,xr,!0,dt):Ki>vt?Ii(null,xr,!0,dt):_s!=ks&&Ii(_s,xr,!0,dt)}}ft&&(ut.idx=I,ih()),b!==!1&&Sn("setCursor")}let xs=null;Object.defineProperty(n,"rect",{get(){return xs==null&&va(!1),xs}});function va(y=!1){y?xs=null:(xs=p.getBoundingClientRect(),Sn("syncRect",xs))}function Td(y,b,P,I,k,$,at){ht._lock||ms&&y!=null&&y.movementX==0&&y.movementY==0||(sh(y,b,P,I,k,$,at,!1,y!=null),y!=null?Vs(null,!0,!0):Vs(b,!0,!1))}function sh(y,b,P,I,k,$,at,dt,vt){if(xs==null&&va(!1),$t(y),y!=null)P=y.clientX-xs.left,I=y.clientY-xs.top;else{if(P<0||I<0){Oe=-10,He=-10;return}let[Dt,Nt]=on.scales,Ft=b.cursor.sync,[ie,Me]=Ft.values,[ve,pe]=Ft.scales,[Zt,Wt]=on.match,ze=b.axes[0].side%2==1,Je=D.ori==0?F:Ct,Mn=D.ori==1?F:Ct,Ie=ze?$:k,Ke=ze?k:$,Zn=ze?I:P,Fn=ze?P:I;if(ve!=null?P=Zt(Dt,ve)?o(ie,M[Dt],Je,0):-10:P=Je*(Zn/Ie),pe!=null?I=Wt(Nt,pe)?o(Me,M[Nt],Mn,0):-10:I=Mn*(Fn/Ke),D.ori==1){let oi=P;P=I,I=oi}}vt&&(b==null||b.cursor.event.type==Bu)&&((P<=1||P>=F-1)&&(P=nr(P,F)),(I<=1||I>=Ct-1)&&(I=nr(I,Ct))),dt?(vd=P,Sd=I,[mr,gr]=ht.move(n,P,I)):(Oe=P,He=I)}let rh={width:0,height:0,left:0,top:0};function ah(){Po(rh,!1)}let Ad,Rd,Cd,Pd;function Id(y,b,P,I,k,$,at){ms=!0,yn=vn=An._x=An._y=!1,sh(y,b,P,I,k,$,at,!0,!1),y!=null&&(xe(zu,Wu,Ld,!1),Sa(Qp,n,mr,gr,F,Ct,null));let{left:dt,top:vt,width:Dt,height:Nt}=Be;Ad=dt,Rd=vt,Cd=Dt,Pd=Nt}function Ld(y,b,P,I,k,$,at){ms=An._x=An._y=!1,sh(y,b,P,I,k,$,at,!1,!0);let{left:dt,top:vt,width:Dt,height:Nt}=Be,Ft=Dt>0||Nt>0,ie=Ad!=dt||Rd!=vt||Cd!=Dt||Pd!=Nt;if(Ft&&ie&&Po(Be),An.setScale&&Ft&&ie){let Me=dt,ve=Dt,pe=vt,Zt=Nt;if(D.ori==1&&(Me=vt,ve=Nt,pe=dt,Zt=Dt),yn&&gs(T,Li(Me,T),Li(Me+ve,T)),vn)for(let Wt in M){let ze=M[Wt];Wt!=T&&ze.from==null&&ze.min!=De&&gs(Wt,Li(pe+Zt,Wt),Li(pe,Wt))}ah()}else ht.lock&&(ht._lock=!ht._lock,Vs(b,!0,y!=null));y!=null&&(hn(zu,Wu),Sa(zu,n,Oe,He,F,Ct,null))}function Xg(y,b,P,I,k,$,at){if(ht._lock)return;$t(y);let dt=ms;if(ms){let vt=!0,Dt=!0,Nt=10,Ft,ie;D.ori==0?(Ft=yn,ie=vn):(Ft=vn,ie=yn),Ft&&ie&&(vt=Oe<=Nt||Oe>=F-Nt,Dt=He<=Nt||He>=Ct-Nt),Ft&&vt&&(Oe=Oe<mr?0:F),ie&&Dt&&(He=He<gr?0:Ct),Vs(null,!0,!0),ms=!1}Oe=-10,He=-10,it.fill(null),Vs(null,!0,!0),dt&&(ms=dt)}function Dd(y,b,P,I,k,$,at){ht._lock||($t(y),_a(),ah(),y!=null&&Sa(nm,n,Oe,He,F,Ct,null))}function Nd(){A.forEach(Yb),U(n.width,n.height,!0)}rr(zc,ra,Nd);let yr={};yr.mousedown=Id,yr.mousemove=Td,yr.mouseup=Ld,yr.dblclick=Dd,yr.setSeries=(y,b,P,I)=>{let k=on.match[2];P=k(n,b,P),P!=-1&&Ii(P,I,!0,!1)},mt&&(xe(Qp,p,Id),xe(Bu,p,Td),xe(tm,p,y=>{$t(y),va(!1)}),xe(em,p,Xg),xe(nm,p,Dd),ju.add(n),n.syncRect=va);let Io=n.hooks=i.hooks||{};function Sn(y,b,P){Un?Ce.push([y,b,P]):y in Io&&Io[y].forEach(I=>{I.call(null,n,b,P)})}(i.plugins||[]).forEach(y=>{for(let b in y.hooks)Io[b]=(Io[b]||[]).concat(y.hooks[b])});let Ud=(y,b,P)=>P,on=cn({key:null,setSeries:!1,filters:{pub:fm,sub:fm},scales:[T,v[1]?v[1].scale:null],match:[pm,pm,Ud],values:[null,null]},ht.sync);on.match.length==2&&on.match.push(Ud),ht.sync=on;let Fd=on.key,oh=hg(Fd);function Sa(y,b,P,I,k,$,at){on.filters.pub(y,b,P,I,k,$,at)&&oh.pub(y,b,P,I,k,$,at)}oh.sub(n);function qg(y,b,P,I,k,$,at){on.filters.sub(y,b,P,I,k,$,at)&&yr[y](null,b,P,I,k,$,at)}n.pub=qg;function Yg(){oh.unsub(n),ju.delete(n),xn.clear(),Yu(zc,ra,Nd),c.remove(),At?.remove(),Sn("destroy")}n.destroy=Yg;function lh(){Sn("init",i,t),ga(t||i.data,!1),H[T]?th(T,H[T]):_a(),nt=Be.show&&(Be.width>0||Be.height>0),tt=ft=!0,U(i.width,i.height)}return v.forEach(cr),A.forEach(Yi),e?e instanceof HTMLElement?(e.appendChild(c),lh()):e(n,lh):lh(),n}Tn.assign=cn;Tn.fmtNum=rd;Tn.rangeNum=kc;Tn.rangeLog=Hc;Tn.rangeAsinh=id;Tn.orient=or;Tn.pxRatio=we;Tn.join=BM;Tn.fmtDate=od,Tn.tzDate=$M;Tn.sync=hg;{Tn.addGap=Ib,Tn.clipGaps=qc;let i=Tn.paths={points:gg};i.linear=xg,i.stepped=Nb,i.bars=Ub,i.spline=Ob}function Zb(i){let t=Math.abs(i);return i!==0&&(t>=1e5||t<.001)?i.toExponential(1).replace(".0e","e"):String(Number(i.toPrecision(4)))}var Jc=["#4477aa","#ee6677","#228833","#aa3377","#ccbb44","#66ccee","#994455","#666666"],ds=class i{static async read(t,e=null){let n=new i;return n.span=e,n.t=new Float32Array(0),n.names=t.names,n.units=t.units,n.rows=new Map(t.names.map(s=>[s,n.t])),await n.append(t),n}async append(t){let[{values:e},{values:n}]=await Promise.all([t.values,t.t].map(Hs)),s=n.length;t.names.forEach((r,a)=>this.rows.set(r,Mg(this.rows.get(r),$b(e.subarray(a*s,(a+1)*s))))),this.t=Mg(this.t,n),this.events=t.events}};function Mg(i,t){return Array.isArray(i)||Array.isArray(t)?[...i,...t]:Ma(i,i.length,t,t.length)}function $b(i){return i.every(Number.isFinite)?i:Array.from(i,t=>Number.isFinite(t)?t:null)}var zs=class{constructor(t,{title:e="",unit:n="",names:s,signals:r,other:a=null,height:o=170,onseek:l=null}){this.host=t,Object.assign(this,{names:s,signals:r,other:a}),this.box=pt("div",{className:"da-plot"}),t.append(this.box);let c=s.map((h,f)=>({label:h,stroke:Jc[f%Jc.length],width:1.5,points:{show:!1},value:(p,_)=>_==null?"":je(_)}));if(a){for(let h of this.known())c.push({label:`${h} (other)`,stroke:Jc[s.indexOf(h)%Jc.length],dash:[5,4],width:1.2,spanGaps:!0,points:{show:!1},value:(f,p)=>p==null?"":je(p)});c.forEach(h=>h.spanGaps=!0)}let u=[e,n&&n!=="1"?`[${n}]`:""].filter(Boolean).join(" "),d={font:"11px system-ui, sans-serif",labelFont:"11px system-ui, sans-serif",stroke:"#555",grid:{stroke:"#e6e9ed",width:1},ticks:{stroke:"#d3d9e0",width:1}};if(this.plot=new Tn({width:Math.max(200,this.box.clientWidth||t.clientWidth||400),height:o,title:u,scales:{x:{time:!1}},series:[{label:"t [s]",value:(h,f)=>f==null?"":f.toFixed(3)},...c],axes:[{...d,size:30},{...d,size:56,space:26,values:(h,f)=>f.map(Zb)}],cursor:{y:!1,drag:{x:!0,y:!1},points:{size:6}},legend:{live:!0},hooks:{draw:[h=>this.marks(h,this.signals.events??[])]}},this.table(),this.box),r.span&&this.plot.setScale("x",{min:r.span[0],max:r.span[1]}),l){let h=f=>{f.buttons===1&&f.shiftKey&&l(this.plot.posToVal(f.offsetX,"x"))};this.plot.over.addEventListener("pointermove",h),this.plot.over.addEventListener("dblclick",f=>l(this.plot.posToVal(f.offsetX,"x")))}this.watch=new ResizeObserver(()=>{let h=this.box.clientWidth;h>100&&Math.abs(h-this.plot.width)>2&&this.plot.setSize({width:h,height:o})}),this.watch.observe(this.box)}known(){return this.names.filter(t=>this.other.rows.has(t))}table(){let{t,rows:e}=this.signals,n=[t,...this.names.map(r=>e.get(r)??new Array(t.length).fill(null))];if(!this.other)return n;let s=[this.other.t,...this.known().map(r=>this.other.rows.get(r))];return Tn.join([n,s].map(r=>r.map(a=>[...a])))}grow(){let{min:t,max:e}=this.plot.scales.x;this.plot.setData(this.table(),!1),this.plot.setScale("x",{min:t,max:e})}marks(t,e){let{ctx:n}=t;for(let s of e){let r=Math.round(t.valToPos(s.t,"x",!0));r<t.bbox.left||r>t.bbox.left+t.bbox.width||(n.save(),n.strokeStyle=`rgb(201 160 160 / ${Math.min(1,Math.max(.15,30/e.length))})`,n.beginPath(),n.moveTo(r,t.bbox.top),n.lineTo(r,t.bbox.top+t.bbox.height),n.stroke(),n.restore())}}cursor(t){this.now=t;let e=performance.now();if(clearTimeout(this.later),e-(this.drawn??0)<50){this.later=setTimeout(()=>this.cursor(this.now),60);return}this.drawn=e,!this.plot.over.matches(":hover")&&this.plot.setCursor(t===null?{left:-10,top:-10}:{left:this.plot.valToPos(t,"x"),top:0},!1)}destroy(){clearTimeout(this.later),this.watch.disconnect(),this.plot.destroy(),this.box.remove()}};async function bg(i,t,e={}){let n=new Xi(i,e);return i.player=n,await n.load(t),e.autoplay&&n.play(),n}async function wg(i,t,e){let n=await ds.read(t),s=t.panels.map(({title:r,unit:a,names:o})=>new zs(i,{title:r,unit:a,names:o,signals:n,onseek:l=>e?.seek(l)}));return e?.listeners.push(r=>s.forEach(a=>a.cursor(r))),s}function fa({name:i,value:t,lower:e,upper:n,unit:s},r){let a=s?`${i} [${s}]`:i,o=pt("input",{type:"range",min:e,max:n,step:"any",value:t,ariaLabel:`${a}, slider`}),l=pt("input",{type:"number",step:"any",value:Number(t.toPrecision(6)),dataset:{name:i},ariaLabel:a});return o.oninput=()=>{l.value=Number(Number(o.value).toPrecision(4)),r(Number(l.value))},l.onchange=()=>{o.value=l.value,r(Number(l.value))},pt("label",{className:"row slider"},pt("span",{title:i},a),o,l)}function Eg(i){let[t,e]=[i.signal("energy.kinetic"),i.signal("energy.potential")];if(!t||!e)return null;let n=t.length,s=p=>{let _=i.signal(p)??new Float64Array(n);return _.map(g=>g-_[0])},[r,a]=[s("work.input"),s("work.loss")],o=t.map((p,_)=>p+e[_]),l=o.map((p,_)=>p-o[0]-r[_]-a[_]),c=new Float64Array(n);for(let p=1;p<n;p++)c[p]=c[p-1]+(i.t[p]===i.t[p-1]?l[p]-l[p-1]:0);let u=p=>p.reduce((_,g)=>Math.max(_,Math.abs(g)),0),d=t.reduce((p,_,g)=>Math.max(p,_+Math.abs(e[g]-e[0])),-1/0),h=16*Number.EPSILON*[t,e,r,a].reduce((p,_)=>p+u(_),0),f=l.map((p,_)=>{let g=Math.abs(p-c[_])<=h?0:p-c[_];return d>0?g/d:g});return{kinetic:t,potential:e,input:r,loss:a,transitions:c,total:o,balance:f,peak:d,drift:u(f)}}function Tg({kinetic:i,potential:t,input:e,loss:n,transitions:s,total:r,balance:a}){let o=c=>c.map(u=>u-c[0]);return{...Object.fromEntries(Object.entries({kinetic:i,potential:t,"input work":e,"loss work":n,transitions:s,sum:r}).map(([c,u])=>[c,o(u)])),balance:a}}var Jb=["X","P","C","ROWS_T","ROWS_X","ROWS_C","OUTPUTS","EVENTS_T","Q","SCENE"];var Ag={4:"diverged: the state stopped being finite, or the constraints could not be kept",5:"diverged: the step shrank below the resolution of time",6:"failed: it took more steps than it may",9:"failed: events accumulate",10:"failed: a transition leads nowhere: no forces obey the laws of its contacts, or a gap is open",11:"failed: a transition has no finite state"},Rg=.012;function Kb(i,t){let e=(s,r,a)=>(new DataView(t().buffer).setBigUint64(a,BigInt(Math.round(performance.now()*1e6)),!0),0),n={};for(let{module:s,name:r}of WebAssembly.Module.imports(i))(n[s]??={})[r]=r==="clock_time_get"?e:()=>52;return n}var Kc=class i{static async load(t,e){let n=new i,s=await WebAssembly.compile(t),r=await WebAssembly.instantiate(s,Kb(s,()=>n.code.memory));return n.code=r.exports,n.program=e,n.code._initialize?.(),n.code.live_reset(),n}array(t,e,n=0){return new Float64Array(this.code.memory.buffer,this.code.live_array(Jb.indexOf(t))+8*n,e)}start(t,e){let{x0:n,p0:s,moves:r}=this.program;this.code.live_reset();let a=t.some((o,l)=>o!==n[l])||e.some((o,l)=>o!==s[l]);return this.array("X",t.length).set(t),this.array("P",e.length).set(e),this.code.live_settle(a?1:0)?null:this.array("X",t.length).reduce((o,l,c)=>r[c]?Math.max(o,Math.abs(l-t[c])):o,0)}outputs(){return this.code.live_now(),this.array("OUTPUTS",this.program.outputs.length)}async run(t,e=()=>!0){let{code:n,program:s}=this,r={t:[],x:[],c:[],y:[]},a=[],o=n.live_time(),l=performance.now(),c="";n.live_begin(t)&&(c=Ag[10]);let u=this.read(r,a),d=performance.now();for(;!c;){let h=n.live_advance(Rg);if(u+=this.read(r,a),h===0?c="completed":h===12?c="stopped":h!==3&&h!==8&&h!==2&&(c=Ag[h]??`failed: outcome ${h}`),!c&&performance.now()-d>1e3*Rg){if(!e((n.live_time()-o)/t))return null;await new Promise(f=>setTimeout(f)),d=performance.now()}}return r.t.at(-1)!==n.live_time()&&(n.live_last(),this.read(r,a,u)),{...r,events:a,status:c,steps:n.live_steps(),seconds:(performance.now()-l)/1e3}}read(t,e,n=0){let{code:s,program:r}=this,[a,o,l]=[r.states.length,r.outputs.length,r.held.length],c=s.live_rows(),u=n?c-1:0;for(let h=u;h<c;h++)s.live_outputs(h),t.t.push(this.array("ROWS_T",1,h)[0]),t.x.push(this.array("ROWS_X",a,h*a).slice()),t.c.push(this.array("ROWS_C",l,h*l).slice()),t.y.push(this.array("OUTPUTS",o).slice());let d=n?0:s.live_events();for(let h=0;h<d;h++){let{name:f,hidden:p}=r.events[s.live_event(h)];p||e.push({name:f,t:this.array("EVENTS_T",1,h)[0],sign:s.live_sign(h)})}return c}scene(t,e,n){return this.array("Q",t.length).set(t),this.code.live_scene(e),this.array("SCENE",n)}};var jb=60,Qb=90,tw=1800,ew=4e5,pd=12,nw=1.6,jc=class{constructor(t,e){Object.assign(this,{live:t,engine:e});let{sizes:n}=t.drawing;this.size=Object.values(n).reduce((o,l)=>o+l,0);let s=0;this.first={};for(let[o,l]of Object.entries(n))[this.first[o],s]=[s,s+l];this.nScene=n.points/3;let r=t.drawing.ways.map(o=>o.cable?t.drawing.cables[o.cable].points.length-2+pd+1:o.still?o.still.length/3:1);this.nPoints=this.nScene+r.reduce((o,l)=>o+l,0),this.nPoses=n.poses/12,this.up=t.scene.up;let a=this.first.forces;this.forces=new Map(t.drawing.forces.map(({name:o,signals:l})=>{let c={signals:l,offset:a};return a+=3*(1+l.length),[o,c]}))}gap(t,e){let n=this.live.drawing.gaps;if(!n.length)return null;let s=this.engine.scene(t,e,this.size).subarray(this.first.gaps,this.first.gaps+n.length),r=s.reduce((a,o,l)=>o<s[a]?l:a,0);return[n[r],s[r]]}film(t,e){let n=iw(t.t,Math.min(Math.max(Math.floor(ew/(3*this.nPoints+10)),120),tw)),s=n.length,r=this.live.scene.bending>1&&this.live.modal.length>0,a={t:new Float32Array(s),points:new Float32Array(3*this.nPoints*s),poses:new Float32Array(7*this.nPoses*s),levels:new Float32Array(this.live.drawing.levels*s)};r&&([a.straight_points,a.straight_poses]=[new Float32Array(a.points.length),new Float32Array(a.poses.length)]);let o=new Map([...this.forces.keys()].map(u=>[u,new Float64Array(3*s)])),l=new Map;n.forEach(([u,d,h],f)=>{a.t[f]=h;let p=t.coordinates(u,d),_=g=>t.value(g,u,d);if(this.put(this.engine.scene(p,h,this.size),_,a.points,a.poses,f,s,l,"bent",o),!!r){for(let g of this.live.modal)p[g]=0;this.put(this.engine.scene(p,h,this.size),_,a.straight_points,a.straight_poses,f,s,l,"straight",null)}}),this.levels(a.levels,o,n,t,s);let c=(u,d)=>({shape:[d,s],values:u});return{scene:{...this.live.scene,speed:sw(t.t.at(-1)-t.t[0]),cloud:e?this.live.scene.cloud:this.cloud(a.points,s)},t:{shape:[s],values:a.t},points:c(a.points,3*this.nPoints),poses:c(a.poses,7*this.nPoses),levels:c(a.levels,this.live.drawing.levels),...r?{straight_points:c(a.straight_points,3*this.nPoints),straight_poses:c(a.straight_poses,7*this.nPoses)}:{}}}put(t,e,n,s,r,a,o,l,c){let{cables:u,ways:d}=this.live.drawing;for(let p=0;p<3*this.nScene;p++)n[p*a+r]=t[this.first.points+p];let h=this.nScene,f=(p,_,g)=>{[p,_,g].forEach((m,v)=>n[(3*h+v)*a+r]=m),h+=1};for(let p of d)if(p.cable)for(let _ of this.way(u[p.cable],p.cable,t,e))f(..._);else if(p.still)for(let _=0;_<p.still.length;_+=3)f(p.still[_],p.still[_+1],p.still[_+2]);else{let{offset:_}=this.forces.get(p.force);f(t[_],t[_+1],t[_+2])}for(let p=0;p<this.nPoses;p++){let _=this.first.poses+12*p,g=rw(t,_,o,`${l}${p}`);[t[_+3],t[_+7],t[_+11],...g].forEach((m,v)=>s[(7*p+v)*a+r]=m)}if(c)for(let[p,{signals:_,offset:g}]of this.forces)_.forEach((m,v)=>{let A=m?e(m):1;for(let M=0;M<3;M++)c.get(p)[3*r+M]+=A*t[g+3*(v+1)+M]})}way(t,e,n,s){let r=p=>Array.from(n.subarray(this.first.points+3*p,this.first.points+3*p+3)),a=t.points.map(r),[o,l]=n.subarray(this.first.lengths+2*t.row,this.first.lengths+2*t.row+2),c=t.measured.reduce((p,_)=>p+s(`length0.${_}`),0),u=t.bilateral||Number.isNaN(c)?0:Math.max(l+c-o,0),d=p=>Math.hypot(...a[p].map((_,g)=>a[p+1][g]-_)),h=t.lines.reduce((p,_)=>d(_)>d(p)?_:p),f=aw(a[h],a[h+1],u,this.up.map(p=>-p));return[...a.slice(0,h),...f,...a.slice(h+2)]}levels(t,e,n,s,r){let{nodes:a}=this.live.scene,o=a.filter(m=>m.level!==void 0),l=o.map(m=>n.map(([v,A])=>s.value(m.tension,v,A))),c=l.flat().filter(Number.isFinite),u=c.reduce((m,v)=>Math.max(m,v),0),h=c.filter(m=>m>1e-9*u).reduce((m,v)=>Math.min(m,v),1/0),f=u-h;o.forEach((m,v)=>l[v].forEach((A,M)=>{let R=f>.01*u?(A-h)/f:.3;t[m.level*r+M]=A>=h?R:-1}));let _=[...e.values()].flatMap(m=>n.map((v,A)=>Math.hypot(m[3*A],m[3*A+1],m[3*A+2]))).filter(m=>m>0).sort((m,v)=>m-v),g=_.length?_[Math.min(_.length-1,Math.floor(.95*_.length))]:1;for(let m of a){if(m.kind!=="arrow")continue;let v=e.get(m.name);m.scale=.2*this.live.scene.size/g;for(let A=0;A<r;A++){let M=Math.min(1,nw*g/Math.max(Math.hypot(v[3*A],v[3*A+1],v[3*A+2]),1e-300));for(let R=0;R<3;R++)t[(m.vector+R)*r+A]=M*v[3*A+R]}}}cloud(t,e){let n=[],s=Math.max(1,e>>6);for(let r=0;r<e;r+=s)for(let a=1;a<this.nPoints;a++)for(let o=0;o<3;o++)n.push(t[(3*a+o)*e+r]);return n}};function iw(i,t){let[e,n]=[i[0],i.at(-1)];if(!(n>e))return[[0,0,e]];let s=(n-e)/(Math.min(Math.max((n-e)*jb,Qb),t)-1),r=[],a=-1/0;for(let o=0;o<i.length;o++){let l=i[o]===i[o+1]||i[o]===i[o-1];if((o===0||o===i.length-1||l||i[o]-a>=.999*s)&&(r.push([o,0,i[o]]),a=i[o]),o===i.length-1)break;let c=Math.ceil((i[o+1]-i[o])/s-1e-6);for(let u=1;u<c;u++)a=i[o]+u/c*(i[o+1]-i[o]),r.push([o,u/c,a])}return r}function sw(i){return i>0&&i<2?i/4:Math.max(1,i/60)}function rw(i,t,e,n){let[s,r,a,,o,l,c,,u,d,h]=i.subarray(t,t+11),{w:f,x:p,y:_,z:g}=new Vn().setFromRotationMatrix(new ye().set(s,r,a,0,o,l,c,0,u,d,h,0,0,0,0,1)),[m,v]=[e.get(n),[f,p,_,g]],A=m&&m.reduce((M,R,T)=>M+R*v[T],0)<0?-1:1;return e.set(n,v.map(M=>A*M)),e.get(n)}function aw(i,t,e,n){let s=Math.hypot(t[0]-i[0],t[1]-i[1],t[2]-i[2]),r=c=>Array.from({length:pd+1},(u,d)=>{let h=d/pd;return i.map((f,p)=>f+h*(t[p]-f)+4*h*(1-h)*c*n[p])});if(!(e>1e-9*s))return r(0);let a=c=>c.slice(1).reduce((u,d,h)=>u+Math.hypot(d[0]-c[h][0],d[1]-c[h][1],d[2]-c[h][2]),0),[o,l]=[0,s+e];for(let c=0;c<60;c++){let u=(o+l)/2;a(r(u))<s+e?o=u:l=u}return r(l)}var Ao=class{constructor(t,e){Object.assign(this,e);let{states:n,held:s,outputs:r}=t.program;this.live=t,this.places=new Map([...s.map((a,o)=>[a,[this.c,o]]),...r.map((a,o)=>[a,[this.y,o]]),...n.map((a,o)=>[a,[this.x,o]])]),this.own=t.q_names.map(a=>this.places.get(a))}signal(t){let e=this.places.get(t);return e&&Float64Array.from(e[0],n=>n[e[1]])}value(t,e,n=0){let s=this.places.get(t);return s&&Cg(s,e,n)}coordinates(t,e=0){let n=Float64Array.from(this.own,s=>Cg(s,t,e));if(e>0)for(let s of this.live.quaternions)this.turn(n,s,t,e);return n}turn(t,e,n,s){let r=d=>this.own.slice(e,e+4).map(([h,f])=>h[d][f]),[a,o]=[r(n),r(n+1)],l=a.reduce((d,h,f)=>d+h*o[f],0)<0?-1:1,c=a.map((d,h)=>d+s*(l*o[h]-d)),u=Math.hypot(...c)||1;c.forEach((d,h)=>t[e+h]=d/u)}};function Cg([i,t],e,n){return n>0?i[e][t]+n*(i[e+1][t]-i[e][t]):i[e][t]}var ow=1e-6,Pg=.25,lw=200,md=["roll","pitch","yaw"],gd=class{constructor(t,e,{part:n=!1}={}){Object.assign(this,{host:t,live:e,runs:0,plots:[],lasted:0}),this.changes={p:{},x:{},turned:{}},t.classList.add("da-live"),this.playerHost=pt("div",{className:"player"}),this.status=pt("p",{className:"status",role:"status"}),this.status.setAttribute("aria-live","polite"),this.side=pt("aside"),this.plotHost=pt("div",{className:"plots"}),this.energy=pt("div",{className:"energy"}),this.eventHost=pt("details",{},pt("summary",{textContent:"Events"}));let s=n?[]:[pt("h1",{textContent:e.name}),pt("p",{className:"lead",textContent:e.about})],r=`dalembert ${e.version}, experiment ${e.digest.slice(0,16)}. This page simulates by itself; it asks nobody anything.`,a=n?[]:[pt("div",{className:"sections",innerHTML:e.sections.join("")}),pt("p",{className:"foot"},r)],o=n?"h3":"h2";t.append(...s,this.status,pt("div",{className:"work"},this.playerHost,this.side),pt(o,{textContent:"Signals"}),this.plotHost,pt(o,{textContent:"Energy audit"}),this.energy,this.eventHost,...a),this.player=new Xi(this.playerHost,{own:!n}),this.player.listeners.push(l=>this.plots.forEach(c=>c.cursor(l))),this.duration=e.settings.duration,this.controls()}async begin(){this.engine=await Kc.load(await hh(this.live.module),this.live.program),this.filmer=new jc(this.live,this.engine),await this.go()}controls(){let{sliders:t,law:e,settings:n}=this.live,s={name:"duration",value:n.duration,lower:.1*n.duration,upper:4*n.duration,unit:"s"},r=fa(s,p=>p>0&&this.change(()=>this.duration=p)),a=pt("button",{className:"reset",textContent:"Back to the start",onclick:()=>this.reset()}),o=[n.method,n.step?`step ${je(n.step)} s`:"",n.contact?`contacts ${n.contact}`:""].filter(Boolean).join(", "),l=(p,_,g,m)=>m.length?[pt("details",{id:_,open:g},pt("summary",{textContent:p}),...m)]:[],c=p=>fa(p,_=>this.change(()=>this.changes.p[p.name]=_)),u=p=>fa(p,_=>this.change(()=>this.place(p.name,_))),[d,h]=[t.q0.filter(p=>!p.modal),t.q0.filter(p=>p.modal)],f=t.v0.filter(p=>!p.modal);this.side.replaceChildren(...l("Simulation","live-simulation",!0,[r,pt("p",{className:"how",textContent:o}),a]),...l("Parameters","live-parameters",!0,t.parameters.map(c)),...l(e?`Gains (${e})`:"Gains","live-gains",!0,t.gains.map(c)),...l("Initial position","live-q0",d.length<=8,d.map(u)),...l("Initial bending","live-modal",!1,h.map(u)),...l("Initial velocity","live-v0",!1,f.map(u)),...t.q0.length?[]:[pt("p",{className:"how",textContent:"The start is that of the file: these equations are not in the machine's own coordinates."})])}place(t,e){let[n,s]=[t.slice(0,t.lastIndexOf(".")),t.slice(t.lastIndexOf(".")+1)];if(!(n in this.live.turns)||!md.includes(s)){this.changes.x[t]=e;return}let r=md.map(o=>this.live.sliders.q0.find(l=>l.name===`${n}.${o}`).value),a=this.changes.turned[n]??=Object.fromEntries(md.map((o,l)=>[o,r[l]]));a[s]=e,uw(a).forEach((o,l)=>this.changes.x[this.live.q_names[this.live.turns[n][l]]]=o)}change(t){t(),clearTimeout(this.soon),this.soon=setTimeout(()=>this.go(),40)}reset(){return this.changes={p:{},x:{},turned:{}},this.duration=this.live.settings.duration,this.controls(),this.go()}async go(){if(this.wanted=!0,!this.busy){this.busy=!0;try{for(;this.wanted;)this.wanted=!1,await this.simulate()}catch(t){this.say(`failed: ${t.message}`,!0)}finally{this.busy=!1}}}changed(){let{p:t,x:e}=this.changes;return Object.keys(t).length+Object.keys(e).length>0||this.duration!==this.live.settings.duration}wishes(){let{states:t,parameters:e,x0:n,p0:s}=this.live.program,r=(a,o,l)=>o.map((c,u)=>Number.isFinite(a[c])?a[c]:l[u]);return[r(this.changes.x,t,n),r(this.changes.p,e,s)]}async simulate(){let{engine:t,live:e}=this,[n,s]=this.wishes(),r=t.start(n,s),a=r===null?this.row(n):this.row(t.array("X",n.length).slice()),o=this.changed()?this.filmer.gap(a.coordinates(0),a.t[0]):null;if(o&&o[1]<-ow)return this.refuse(`contact '${o[0]}' starts ${je(-o[1])} m deep in what it touches; lift it`,a);if(r===null)return this.refuse("the constraints cannot be kept from this start; move a slider back",a);this.lasted>Pg&&await this.show(a,!1);let l=await t.run(this.duration,d=>(this.host.dataset.progress=d.toFixed(3),this.lasted>Pg&&(this.status.textContent=`simulating: ${Math.round(100*d)} %`),!this.wanted));if(!l)return;this.lasted=l.seconds,this.run=new Ao(e,l),await this.show(this.run,!0);let c=r>1e-9?` The start was moved onto the constraints, by up to ${je(r)}.`:"",u=this.run.t.at(-1)-this.run.t[0];this.say(`${l.status}: ${je(u)} s in ${je(l.seconds)} s, ${je(u/l.seconds)} times real time, ${l.steps} steps.${c}`,!/^(completed|stopped)/.test(l.status)),this.host.dataset.run=String(++this.runs)}row(t){let{engine:e,live:n}=this,[s,r]=[e.outputs().slice(),e.array("C",n.program.held.length).slice()];return new Ao(n,{t:[e.code.live_time()],x:[t],c:[r],y:[s],events:[]})}async refuse(t,e){await this.show(e,!1),this.say(`refused: ${t}.`,!0),this.host.dataset.run=String(++this.runs)}say(t,e){this.status.textContent=t,this.status.classList.toggle("bad",e),this.host.dataset.status=t.slice(0,t.search(/[:.]/))}async show(t,e){let n=this.filmer.film(t,!this.changed());this.player.film?await this.player.recast(n):await this.player.load(n),e&&(this.player.play(),await this.draw(t))}async draw(t){let{live:e}=this,n=Eg(t),s=n?Tg(n):{},r=[...new Set(e.panels.flatMap(d=>d.names))].filter(d=>d in s||t.places.has(d)),a=r.map(d=>s[d]??t.signal(d)),o=t.t.length,l=new Float32Array(r.length*o);a.forEach((d,h)=>l.set(d,h*o));let c=t.events.slice(0,lw),u=await ds.read({names:r,units:e.units,t:{values:Float32Array.from(t.t)},values:{values:l},events:c});this.plots.forEach(d=>d.destroy()),this.plots=e.panels.map(({title:d,unit:h,names:f})=>new zs(this.plotHost,{title:d,unit:h,names:f,signals:u,onseek:p=>this.player.seek(p)})),this.energy.replaceChildren(n?cw(n):"This machine has no energies."),this.events=t.events,this.eventHost.style.display=e.program.events.some(d=>!d.hidden)?"":"none",this.eventHost.replaceChildren(pt("summary",{textContent:`Events (${t.events.length})`}),hw(c))}};function Ig(i){let t=(e,n)=>pt("td",{className:n?"n":"",textContent:e});return pt("table",{},...i.map(e=>pt("tr",{},...e.map(t))))}function cw(i){let t=e=>`${je(e.at(-1)-e[0])} J`;return Ig([["largest energy that the motion handled",`${je(i.peak)} J`],["change of kinetic and potential energy",t(i.total)],["work of inputs",t(i.input)],["work of losses",t(i.loss)],["brought by transitions at events",t(i.transitions)],["what is left unexplained, of the largest energy",i.drift.toExponential(2)]])}function hw(i){return Ig(i.map(({name:t,t:e,sign:n})=>[t,`${je(e)} s`,n>0?"rising":"falling"]))}function uw({roll:i,pitch:t,yaw:e}){let[n,s,r]=[i,t,e].map(c=>Math.cos(c/2)),[a,o,l]=[i,t,e].map(c=>Math.sin(c/2));return[n*s*r+a*o*l,a*s*r-n*o*l,n*o*r+a*s*l,n*s*l-a*o*r]}async function Lg(i,t,e={}){let n=new gd(i,t,e);return i.live=n,i.dataset.loaded="1",await n.begin(),n}var dw="http://www.w3.org/2000/svg";function lr(i,t,e=""){let n=document.createElementNS(dw,i);for(let[s,r]of Object.entries(t))n.setAttribute(s,r);return n.textContent=e,n}function Dg(i){let[t,e,n]=[320,220,26],s=lr("svg",{viewBox:`0 0 ${t} ${e}`,class:"da-poles"}),r=u=>Math.max(...u.map(Math.abs),1e-9)*1.1,[a,o]=[r(i.map(u=>u.re)),r(i.map(u=>u.im))],l=u=>t/2+u/a*(t/2-n),c=u=>e/2-u/o*(e/2-n);s.append(lr("rect",{x:t/2,y:0,width:t/2,height:e,fill:"#fbeeee"})),s.append(lr("line",{x1:0,x2:t,y1:e/2,y2:e/2,stroke:"#aab3bd"})),s.append(lr("line",{x1:t/2,x2:t/2,y1:0,y2:e,stroke:"#aab3bd"})),s.append(lr("text",{x:t-4,y:e/2-5,"text-anchor":"end","font-size":10,fill:"#56606b"},`Re ${je(a)}`)),s.append(lr("text",{x:t/2+5,y:12,"font-size":10,fill:"#56606b"},`Im ${je(o)}`));for(let u of i){let[d,h]=[l(u.re),c(u.im)],f=u.re>1e-9*a?"#b3261e":"#3a6ea5",p=lr("path",{d:`M${d-4} ${h-4}L${d+4} ${h+4}M${d-4} ${h+4}L${d+4} ${h-4}`,stroke:f,"stroke-width":1.6});s.append(p)}return s}var fw=400,pw="abcdefghijklmnopqrstuvwxyz0123456789",_d=class{constructor(t){this.token=t,this.session=[...crypto.getRandomValues(new Uint8Array(24))].map(e=>pw[e%36]).join("")}async fetch(t,e={}){let n=await fetch(`/api/${t}`,{method:"POST",headers:{"Content-Type":"application/json","X-Dalembert-Token":this.token},body:JSON.stringify({...e,session:this.session})}).catch(()=>null);if(!n)throw new Error("the studio does not answer: has it been ended?");if(!n.ok)throw new Error((await n.json()).error);return n}async ask(t,e){return(await this.fetch(t,e)).json()}async save(t){let e=await this.fetch("save",t),n=/filename="([^"]*)"/.exec(e.headers.get("Content-Disposition"))[1],s=pt("a",{href:URL.createObjectURL(await e.blob()),download:n});s.click(),setTimeout(()=>URL.revokeObjectURL(s.href),1e4)}},xd=class{constructor(t,{token:e}){this.server=new _d(e),this.changes={},this.shownRun=null,this.plots=[],this.chosen=!1,this.build(t),globalThis.studioPage=this}mark(t){Object.assign(this.body.dataset,t)}build(t){this.body=t;let e=(o,l,c={})=>pt("button",{textContent:o,onclick:()=>this.guard(l),...c});this.machines=pt("select",{id:"machine",title:"ready-made machines"}),this.machines.onchange=()=>this.guard(()=>this.open({system:this.machines.value})),this.file=pt("input",{type:"file",id:"file",accept:".yaml,.yml,.nc",hidden:!0}),this.file.onchange=()=>this.guard(()=>this.upload()),this.runButton=e("Run",()=>this.run(),{id:"run",className:"primary"}),this.cancelButton=e("Cancel",()=>this.server.ask("cancel"),{id:"cancel",disabled:!0}),this.progress=pt("progress",{id:"progress",max:1,value:0}),this.status=pt("span",{id:"status"}),this.saveMenu=pt("select",{id:"save",title:"save"},new Option("Save ...",""),new Option("machine file","machine"),new Option("run","run"),new Option("report","report")),this.saveMenu.onchange=()=>{let o=this.saveMenu.value;this.saveMenu.value="";let l=this.shownRun??(Number(this.runsList.value)||null);this.guard(()=>this.server.save({what:o,run:l,changes:this.changes}))};let n=async()=>{this.status.textContent="the machine is compiled for the page ...",await this.server.save({what:"page",changes:this.changes}),this.status.textContent="shared: one HTML file that simulates"},s=pt("header",{},pt("b",{},"dalembert"),pt("span",{className:"word"},"studio"),this.machines,e("Open ...",()=>this.file.click(),{id:"open"}),this.file,this.runButton,this.cancelButton,this.progress,this.status,pt("span",{className:"gap"}),e("Share",n,{id:"share",title:"save the machine as one HTML file that simulates"}),this.saveMenu);this.error=pt("pre",{id:"error",title:"click to close"}),this.error.onclick=()=>this.complain(""),this.playerHost=pt("div",{id:"player"}),this.plotHost=pt("div",{id:"plots"}),this.signalMenu=pt("select",{id:"signal",title:"show a signal",disabled:!0},new Option("Plot ...","")),this.signalMenu.onchange=()=>{let o=this.signalMenu.value;this.signalMenu.value="",o&&(this.chosen=!0,this.addPlot(JSON.parse(o)))};let r=pt("div",{className:"plotbar"},this.signalMenu,pt("small",{},"double-click into a plot: go to that time; drag: magnify"));this.side=pt("aside",{});let a=pt("main",{},this.playerHost,r,this.plotHost);t.append(s,this.error,pt("div",{className:"work"},a,this.side)),this.player=new Xi(this.playerHost,{own:!0}),this.player.listeners.push(o=>this.plots.forEach(({plot:l})=>l.cursor(this.shownRun===null?null:o))),addEventListener("keydown",o=>{o.code==="Space"&&o.target===document.body&&(o.preventDefault(),this.player.toggle())})}async guard(t){try{this.complain(""),await t()}catch(e){this.complain(e.message)}}complain(t,e=!1){this.error.textContent=t,this.error.className=e?"only":""}async begin(){let{systems:t,opened:e}=await this.server.ask("systems");this.machines.append(...t.map(({name:n,about:s})=>pt("option",{value:n,textContent:n,title:s}))),await(e?this.open({}):this.open({system:"spatial-crane"}))}async upload(){let[t]=this.file.files;if(this.file.value="",!!t)if(t.name.endsWith(".nc")){let e=new Uint8Array(await t.arrayBuffer());await this.open({run:[...e].map(n=>n.toString(16).padStart(2,"0")).join(""),title:t.name})}else await this.open({text:await t.text(),title:t.name})}async open(t){let e=this.turn=(this.turn??0)+1,{card:n,film:s,runs:r,notes:a}=await this.server.ask("open",t);if(e!==this.turn)return;this.card=n,this.changes={p:{},q0:{},v0:{},gains:{},settings:{}},this.shownRun=null,this.chosen=!1;let o=[...this.machines.options].some(l=>l.value===n.title);[...this.machines.options].filter(l=>l.dataset.opened).forEach(l=>l.remove()),o||this.machines.append(pt("option",{value:n.title,textContent:n.title,dataset:{opened:"yes"}})),this.machines.value=n.title,this.signals=null,this.clearPlots(),this.fillSide(),this.player.caption.textContent=`${n.title}
${n.about}`,await this.player.load(s),this.say(""),this.listRuns(r),this.mark({machine:n.title,run:""}),this.complain(a.join(`
`),!0),r.length&&await this.showRun(r[r.length-1].run)}say(t,e=!1){this.status.textContent=t,this.status.className=e?"bad":""}async run(){await this.server.ask("run",{changes:this.changes}),this.runButton.disabled=!0,this.cancelButton.disabled=!1;let t=null,e=performance.now();try{for(;;){let n=await this.server.ask("state");if(this.progress.value=n.fraction,this.mark({stage:n.stage}),this.say(n.stage==="building"?"deriving and compiling ...":n.stage==="running"?`running: ${Math.round(100*n.fraction)} %`:""),n.stage==="failed")throw this.shownRun===t&&(this.shownRun=null),this.listRuns(n.runs),new Error(n.error);if(n.stage==="done"){this.listRuns(n.runs),n.run!==null&&await this.showRun(n.run,!0);return}n.stage==="running"&&n.run!==null&&performance.now()-e>fw&&(t===null?(this.listRuns(n.runs),await this.showRun(n.run)):await this.follow(n.run),t=n.run),await new Promise(s=>setTimeout(s,n.stage==="building"?150:120))}}finally{this.runButton.disabled=!1,this.cancelButton.disabled=!0,this.progress.value=0}}async showRun(t,e=!1){let n=this.showing=(this.showing??0)+1,{film:s,signals:r,facts:a,span:o}=await this.server.ask("film",{run:t});if(n!==this.showing)return;let l=this.shownRun!==null,c=a.status==="running";this.shownRun=t,this.runsList.value=String(t),this.player.caption.textContent=`${this.card.title}
${this.card.about}`,await this.player.load(s,{keep:l&&this.player.stage.touched}),c&&this.player.seek(this.player.film.end),this.signals=await ds.read(r,o),this.panels=r.panels,this.fillSignals();let u=this.plots.map(({names:p})=>p);this.clearPlots();let d=this.chosen&&u.length?u:this.firstPanels();(c?d:d.map(p=>p.filter(_=>this.signals.rows.has(_))).filter(p=>p.length)).forEach(p=>this.addPlot(p));let f=!["running","completed","stopped"].includes(a.status);this.say(a.message?`${a.status}: ${a.message}`:a.status,f),this.facts.textContent=`${a.status}${a.message?`: ${a.message}`:""}
${a.summary}`,await this.compare(),this.mark({run:String(t),status:a.status}),e&&this.player.play()}async follow(t){if(this.shownRun!==t)return;let{film:e,signals:n,since:s}=await this.server.ask("film",{run:t,since:this.signals.t.length}).catch(()=>({}));this.shownRun!==t||s!==this.signals.t.length||(e&&await this.player.grow(e),!(!n||this.shownRun!==t)&&(await this.signals.append(n),this.plots.forEach(({plot:r})=>r.grow())))}listRuns(t){this.runs=t;let[e,n]=[this.runsList,this.runsList.value];e.replaceChildren(...t.map(({run:a,label:o,status:l})=>new Option(`${o} (${l})`,a))),t.some(({run:a})=>String(a)===n)&&(e.value=n);let s=this.otherRun.value,r=t.filter(({status:a})=>a!=="running");this.otherRun.replaceChildren(new Option("nothing",""),...r.map(({run:a,label:o})=>new Option(o,a))),this.otherRun.value=r.some(({run:a})=>String(a)===s)?s:"",wi([this.runsBox],t.length>0)}async compare(){let t=Number(this.otherRun.value);if(this.other=null,t&&t!==this.shownRun){let{film:n,signals:s}=await this.server.ask("film",{run:t});this.other=await ds.read(s),await this.player.compare(n)}else await this.player.compare(null);let e=this.plots.map(n=>n.names);this.clearPlots(),e.forEach(n=>this.addPlot(n))}fillSignals(){let t=this.panels.map(({title:s,names:r})=>new Option(s,JSON.stringify(r))),e=this.signals.names.map(s=>new Option(s,JSON.stringify([s]))),n=(s,r)=>{let a=pt("optgroup",{label:s});return a.append(...r),a};this.signalMenu.disabled=!1,this.signalMenu.replaceChildren(new Option("Plot ...",""),n("together",t),n("one signal",e))}firstPanels(){let t=this.panels.filter(({title:n})=>!/^(quaternions|modal velocities)/.test(n)),e=t.find(({title:n})=>/^(tensions|modal coordinates|inputs)/.test(n))??t[1];return[...new Set([t[0],e])].filter(Boolean).map(n=>n.names)}addPlot(t){let e=new Set(t.map(l=>this.signals.units[l]??"")),n=pt("div",{className:"plotbox"}),s=pt("button",{className:"close",textContent:"x",title:"remove this plot"});n.append(s),this.plotHost.append(n);let r=this.panels.find(l=>l.names.join()===t.join())?.title??t.join(", "),a=new zs(n,{title:r,unit:e.size===1?[...e][0]:"",names:t,signals:this.signals,other:this.other,height:150,onseek:l=>this.player.seek(l)});this.shownRun!==null&&a.cursor(this.player.time);let o={names:t,plot:a,host:n};s.onclick=()=>{this.chosen=!0,a.destroy(),n.remove(),this.plots.splice(this.plots.indexOf(o),1)},this.plots.push(o)}clearPlots(){for(let{plot:t,host:e}of this.plots)t.destroy(),e.remove();this.plots=[]}fillSide(){let{card:t}=this,e=(h,f,p,..._)=>pt("details",{id:f,open:p},pt("summary",{},h),..._);this.runsList=pt("select",{id:"runs",title:"runs of this machine"}),this.runsList.onchange=()=>this.guard(()=>this.showRun(Number(this.runsList.value))),this.otherRun=pt("select",{id:"other",title:"shown as a ghost, and dashed"}),this.otherRun.onchange=()=>this.guard(()=>this.compare()),this.facts=pt("pre",{id:"facts"}),this.runsBox=e("Runs","section-runs",!0,pt("label",{},"shown ",this.runsList),pt("label",{},"compare with ",this.otherRun),this.facts);let n=[this.runsBox],s=this.changes.settings,r=this.entry("step [s]",t.settings.step,h=>s.step=h,"step"),a=this.entry("tolerance",t.settings.rtol,h=>s.rtol=h,"rtol"),o=h=>{let f=t.adaptive.includes(h);wi([a],f),wi([r],!f);let[p,_,g]=f?["rtol",a,"step"]:["step",r,"rtol"];delete s[g];let m=Number(_.lastChild.value);m!==t.settings[p]&&(s[p]=m)},l=[this.entry("duration [s]",t.settings.duration,h=>s.duration=h,"duration"),this.choice("method",t.methods,t.settings.method,h=>{s.method=h,o(h)}),r,a];o(t.settings.method),n.push(e("Simulation","section-simulation",!0,...l)),t.parameters.length&&n.push(e("Parameters","section-parameters",!0,...t.parameters.map(h=>this.slider(h,this.changes.p,!0))));let c=t.gain_parameters.map(h=>this.slider(h,this.changes.p,!1));c.push(...Object.entries(t.gains).flatMap(([h,f])=>this.gain(h,f))),c.length&&n.push(e(t.law?`Gains (${t.law})`:"Gains","section-gains",!0,...c));let u=t.q0.filter(h=>!h.modal),d=t.q0.filter(h=>h.modal);n.push(e("Initial position","section-q0",u.length<=8,...u.map(h=>this.slider(h,this.changes.q0,!0)))),d.length&&n.push(e("Initial bending","section-modal",!1,...d.map(h=>this.slider(h,this.changes.q0,!0)))),n.push(e("Initial velocity","section-v0",!1,...t.v0.filter(h=>!h.modal).map(h=>this.slider(h,this.changes.v0,!1)))),n.push(this.modesSection(e),this.linearSection(e),this.fileSection(e)),this.side.replaceChildren(...n),wi([this.runsBox],!1)}entry(t,e,n,s){let r=pt("input",{type:"number",step:"any",value:e,id:`set-${s}`});return r.onchange=()=>n(Number(r.value)),pt("label",{className:"row"},pt("span",{},t),r)}choice(t,e,n,s){let r=pt("select",{id:`set-${t}`},...e.map(a=>new Option(a,a)));return r.value=n,r.onchange=()=>s(r.value),pt("label",{className:"row"},pt("span",{},t),r)}slider(t,e,n,s=null){return fa(t,r=>{s?s(r):e[t.name]=r,n&&this.preview()})}gain(t,e){let n=(r,a,o)=>this.slider({name:r,value:a,lower:0,upper:3*Math.abs(a)||10,unit:""},null,!1,o);if(!Array.isArray(e))return[n(t,e,r=>this.changes.gains[t]=r)];let s=[...e];return s.map((r,a)=>n(`${t} ${this.card.gain_labels[t]?.[a]??a+1}`,r,o=>{s[a]=o,this.changes.gains[t]=[...s]}))}preview(){this.wanted=!0,!this.asking&&(this.asking=!0,this.guard(async()=>{for(;this.wanted;){this.wanted=!1;let{film:t}=await this.server.ask("pose",{changes:this.changes}),e=this.shownRun!==null;this.shownRun=null,this.player.pause(),await this.player.load(t,{keep:!e||this.player.stage.touched}),!this.player.stage.touched&&!this.player.fits()&&this.player.refit(!0)}}).finally(()=>this.asking=!1))}modesSection(t){let e=pt("div",{id:"modes"}),n=async()=>{let{modes:r,note:a}=await this.server.ask("modes",{changes:this.changes});e.replaceChildren(...Ng(a,"Frequencies hold as far as the stiffness there does."),...r.map(({mode:o,frequency:l,damping:c,mostly:u})=>{let d=`${mw(l,c)}: ${u}`,h=async()=>{let{film:f}=await this.server.ask("mode",{mode:o});this.shownRun=null,await this.player.load(f,{keep:this.player.stage.touched}),this.player.caption.textContent=`${this.card.title}: ${d}`,this.player.play()};return pt("button",{className:"mode",textContent:d,onclick:()=>this.guard(h)})}))};return t("Vibration modes","section-modes",!1,pt("button",{id:"find-modes",textContent:"about the initial position",onclick:()=>this.guard(n)}),e)}linearSection(t){let e=pt("div",{id:"poles"}),n=async()=>{let{poles:s,states:r,inputs:a,note:o}=await this.server.ask("linear",{changes:this.changes});e.replaceChildren(...Ng(o,"The model holds for small deviations all the same."),Dg(s),pt("p",{},`${r.length} states; inputs: ${a.join(", ")||"none"}`),pt("pre",{},s.map(({re:l,im:c})=>`${je(l)} ${c<0?"-":"+"} ${je(Math.abs(c))} i`).join(`
`)))};return t("Linear model","section-linear",!1,pt("button",{id:"find-poles",textContent:"about the initial position",onclick:()=>this.guard(n)}),e)}fileSection(t){this.text=pt("textarea",{id:"text",spellcheck:!1,value:this.card.text});let e=pt("button",{id:"apply",textContent:"Apply",onclick:()=>this.guard(()=>this.open({text:this.text.value,title:`${this.card.title.replace(/ \(changed\)$/,"")} (changed)`}))});return t("Machine file","section-file",!1,this.text,e)}};function Ng(i,t){return i?[pt("p",{className:"note"},`${i}. ${t}`)]:[]}function mw(i,t){return i===0?"moves freely":i<0?`grows by e in ${je(-1/i)} s`:`${je(i/(2*Math.PI))} Hz${t===null?"":`, damping ${je(t)}`}`}async function Ug(i,t){let e=new xd(i,t);return await e.guard(()=>e.begin()),e}globalThis.dalembert??={embed:bg,panels:wg,studio:Ug,live:Lg,Film:ys,Player:Xi};})();
